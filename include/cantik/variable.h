// Variable: a value in a graph. An input, a parameter, a constant, a placeholder, or the output of a
// function.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/api.h>
#include <cantik/detail/handle.h>
#include <cantik/initializer.h>
#include <cantik/type.h>

namespace cantik {

class Function;

// What a variable is. The numbers are those of CNTK's model files.
enum class VariableKind : uint8_t { input = 0, output = 1, parameter = 2, constant = 3, placeholder = 4 };

// Where the user wrote what is being built; appears in errors as "made at".
struct CANTIK_API Origin {
  const char* file = nullptr;  // kept by the caller for ever (a literal, or interned)
  int line = 0;                // from 1
  // The place as errors show it: train.py:41.
  std::string text() const { return file ? std::string(file) + ":" + std::to_string(line) : ""; }
  static Origin& current();  // of this thread
};

// A handle: copies stand for the same value.
class CANTIK_API Variable : public detail::OutputHandle {
 public:
  // Empty: no variable at all, which `if (v)` tells. Any question to it is an error.
  Variable() = default;
  using detail::OutputHandle::OutputHandle;
  Variable(const Function& f);  // its only output

  // What it is.
  VariableKind kind() const;
  // Whether it is fed with data.
  bool is_input() const { return kind() == VariableKind::input; }
  // Whether a function makes it.
  bool is_output() const { return kind() == VariableKind::output; }
  // Whether it has a value that learners change.
  bool is_parameter() const { return kind() == VariableKind::parameter; }
  // Whether it has a value that learners leave alone.
  bool is_constant() const { return kind() == VariableKind::constant; }
  // Whether it stands for a variable that is bound later.
  bool is_placeholder() const { return kind() == VariableKind::placeholder; }

  // Element type, shape, axes and storage, as far as they are known.
  const Type& type() const;
  // The static axes: the shape of a sample.
  const Shape& shape() const { return type().shape; }
  // The type of the elements.
  DType dtype() const { return type().dtype; }
  // The type of the elements; while it is open, the type that known operands ask for.
  DType presumed_dtype() const;
  // The dynamic axes.
  const Axes& axes() const { return type().axes; }
  // Whether it is fed with sparse rows, or has them as its value.
  bool is_sparse() const { return type().storage != Storage::dense; }
  // Whether gradients may be asked for with respect to it.
  bool needs_gradient() const;
  // The name that the user gave; empty if there is none.
  const std::string& name() const;
  // A name that no other variable has.
  std::string uid() const;
  Function owner() const;    // of an output
  std::string text() const;  // Input('x', [#], [3])
  // Where the user's program made it.
  Origin made_at() const;

  // Of a parameter or constant.
  Tensor value() const;
  // Copies numbers into the value. Another shape or a read-only value is an error.
  void set_value(const Tensor& value) const;
  void add_to_version() const;  // after the memory of value() was written directly
  uint64_t version() const;     // how often it has changed
  friend bool operator==(const Variable& a, const Variable& b) { return a.is_same(b); }
};

// While it lives, what this thread builds is made at this place.
class OriginScope {
 public:
  // An origin without a file changes nothing.
  OriginScope(Origin origin) : outer_(Origin::current()) {
    if (origin.file) Origin::current() = origin;
  }
  ~OriginScope() { Origin::current() = outer_; }
  OriginScope(const OriginScope&) = delete;

 private:
  Origin outer_;
};

// Options of input().
struct InputOptions {
  DType dtype = DType::float32;  // of the elements
  bool sparse = false;           // it is fed with sparse rows
  bool needs_gradient = false;   // gradients with respect to it may be asked for
  Axes axes = Axes::batch();     // the dynamic ones
  std::string name = {};         // that the user gives it
};

// A variable to be fed with data. `shape`: that of a sample, or of a step of a sequence.
CANTIK_API Variable input(Shape shape, InputOptions options = {});
// A value that learners change. Dimensions of kInferred are found where it is used; its first values are
// drawn then.
CANTIK_API Variable parameter(Shape shape, Initializer init, DType dtype = DType::float32,
                              std::string name = {});
// A value that learners leave alone: a tensor, or one that an initializer fills.
CANTIK_API Variable constant(Tensor value, std::string name = {});
CANTIK_API Variable constant(Shape shape, Initializer init, DType dtype = DType::float32,
                             std::string name = {});
// A variable that another one takes the place of, by replace_placeholders() or by a call. `needs_gradient`:
// what Variable::needs_gradient() says while nothing has.
CANTIK_API Variable placeholder(std::string name = {}, Type type = Type::unknown(),
                                bool needs_gradient = false);

}  // namespace cantik

template <>
struct std::hash<cantik::Variable> {
  size_t operator()(const cantik::Variable& v) const noexcept { return v.hash(); }
};
