// Variable: a value in a graph. An input, a parameter, a constant, a placeholder, or the output of a
// function.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/api.h>
#include <cantik/initializer.h>
#include <cantik/type.h>

namespace cantik {

struct Node;
class Function;

enum class VariableKind : uint8_t { input = 0, output = 1, parameter = 2, constant = 3, placeholder = 4 };

// Where the user wrote what is being built; appears in errors as "made at".
struct CANTIK_API Origin {
  const char* file = nullptr;  // kept by the caller for ever (a literal, or interned)
  int line = 0;
  std::string text() const { return file ? std::string(file) + ":" + std::to_string(line) : ""; }
  static Origin& current();  // of this thread
};

// A handle: copies stand for the same value.
class CANTIK_API Variable {
 public:
  Variable() = default;
  Variable(std::shared_ptr<Node> node, uint32_t index = 0) : node_(std::move(node)), index_(index) {}
  Variable(const Function& f);  // its only output

  explicit operator bool() const { return node_ != nullptr; }
  VariableKind kind() const;
  bool is_input() const { return kind() == VariableKind::input; }
  bool is_output() const { return kind() == VariableKind::output; }
  bool is_parameter() const { return kind() == VariableKind::parameter; }
  bool is_constant() const { return kind() == VariableKind::constant; }
  bool is_placeholder() const { return kind() == VariableKind::placeholder; }

  const Type& type() const;
  const Shape& shape() const { return type().shape; }
  DType dtype() const { return type().dtype; }
  const Axes& axes() const { return type().axes; }
  bool is_sparse() const { return type().storage != Storage::dense; }
  bool needs_gradient() const;
  const std::string& name() const;
  std::string uid() const;
  Function owner() const;    // of an output
  std::string text() const;  // Input('x', [#], [3])
  Origin made_at() const;

  // Of a parameter or constant.
  Tensor value() const;
  void set_value(const Tensor& value) const;
  void add_to_version() const;  // after the memory of value() was written directly
  uint64_t version() const;     // how often it has changed

  // The variable's node. An empty variable is an error, here and in all of the above.
  const std::shared_ptr<Node>& node() const {
    if (!node_) throw_empty();
    return node_;
  }
  uint32_t index() const { return index_; }
  friend bool operator==(const Variable& a, const Variable& b) {
    return a.node_ == b.node_ && a.index_ == b.index_;
  }

 private:
  friend struct std::hash<Variable>;
  [[noreturn]] static void throw_empty();

  std::shared_ptr<Node> node_;
  uint32_t index_ = 0;
};

class OriginScope {
 public:
  OriginScope(Origin origin) : outer_(Origin::current()) {
    if (origin.file) Origin::current() = origin;
  }
  ~OriginScope() { Origin::current() = outer_; }
  OriginScope(const OriginScope&) = delete;

 private:
  Origin outer_;
};

struct InputOptions {
  DType dtype = DType::float32;
  bool sparse = false;
  bool needs_gradient = false;
  Axes axes = Axes::batch();
  std::string name = {};
};

CANTIK_API Variable input(Shape shape, InputOptions options = {});
CANTIK_API Variable parameter(Shape shape, Initializer init, DType dtype = DType::float32,
                              std::string name = {});
CANTIK_API Variable constant(Tensor value, std::string name = {});
CANTIK_API Variable constant(Shape shape, Initializer init, DType dtype = DType::float32,
                             std::string name = {});
CANTIK_API Variable placeholder(std::string name = {}, Type type = Type::unknown());

}  // namespace cantik

template <>
struct std::hash<cantik::Variable> {
  size_t operator()(const cantik::Variable& v) const noexcept {
    return std::hash<const void*>()(v.node_.get()) * 31 + v.index();
  }
};
