// For the library: what Variable and Function are handles on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <cantik/api.h>

namespace cantik {

struct Node;
struct Composite;

namespace detail {

// An output of a node.
class CANTIK_API OutputHandle {
 public:
  OutputHandle() = default;
  // An output of this node, by its number.
  OutputHandle(std::shared_ptr<Node> node, uint32_t index = 0) : node_(std::move(node)), index_(index) {}

  // The node. An empty handle is an error.
  const std::shared_ptr<Node>& node() const {
    if (!node_) throw_empty();
    return node_;
  }
  // Which output of its node it is.
  uint32_t index() const { return index_; }
  // Whether there is a node.
  explicit operator bool() const { return node_ != nullptr; }
  // Whether both are the same output of the same node.
  bool is_same(const OutputHandle& other) const { return node_ == other.node_ && index_ == other.index_; }
  // Equal handles have equal numbers.
  size_t hash() const noexcept {
    return reinterpret_cast<size_t>(node_.get()) / alignof(void*) * 31 + index_;
  }

 private:
  [[noreturn]] static void throw_empty();

  std::shared_ptr<Node> node_;
  uint32_t index_ = 0;
};

// A node, and the composite that it is the root of; null of a primitive or a block.
class CANTIK_API FunctionHandle {
 public:
  FunctionHandle() = default;
  // A function with this root.
  FunctionHandle(std::shared_ptr<Node> root, std::shared_ptr<Composite> composite)
      : root_(std::move(root)), composite_(std::move(composite)) {}

  // The function's node. An empty handle is an error.
  const std::shared_ptr<Node>& node() const {
    if (!root_) throw_empty();
    return root_;
  }
  // What belongs to the network as a whole.
  const std::shared_ptr<Composite>& composite() const { return composite_; }
  // Whether there is a node.
  explicit operator bool() const { return root_ != nullptr; }

 private:
  [[noreturn]] static void throw_empty();

  std::shared_ptr<Node> root_;
  std::shared_ptr<Composite> composite_;
};

}  // namespace detail
}  // namespace cantik
