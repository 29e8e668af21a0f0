// Edge: what a node reads. An edge owns the node that it points to, unless both ends stand in one cycle: see
// graph/cycle.h.
#pragma once

#include <memory>
#include <vector>

#include <cantik/variable.h>

namespace cantik {

class Edge {
 public:
  Edge() = default;
  Edge(const Variable& v) : node_(v ? v.node() : nullptr), index_(v.index()) {}
  operator Variable() const { return Variable(handle(), index_); }

  explicit operator bool() const { return node_ != nullptr; }
  Node* node() const { return node_.get(); }
  std::shared_ptr<Node> handle() const;
  uint32_t index() const { return index_; }
  friend bool operator==(const Edge& a, const Variable& b) {
    return a.node() == (b ? b.node().get() : nullptr) && a.index() == b.index();
  }

  // The cycle owns the node from now on.
  void loosen() { node_ = std::shared_ptr<Node>(std::shared_ptr<void>(), node_.get()); }

 private:
  std::shared_ptr<Node> node_;
  uint32_t index_ = 0;
};

std::vector<Variable> variables(const std::vector<Edge>& edges);

}  // namespace cantik
