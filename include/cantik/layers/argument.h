// Arguments of layers: activations, extents, and numbers for the axes of a kernel.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/shape.h>

namespace cantik::layers {

// What is applied to a layer's result: nothing, an operator by its name, a Function of one argument, or code.
class CANTIK_API Activation {
 public:
  // Code that applies operators to a variable.
  using Code = std::function<Variable(const Variable&)>;
  Activation() = default;
  // An operator of one operand, by its name: "relu".
  Activation(const char* op) : Activation(std::string(op)) {}
  Activation(const std::string& op);
  // A function of one argument. One that gives back its argument is no activation.
  Activation(const Function& f);
  // Code that applies operators to the result.
  Activation(Code code) : code_(std::move(code)) {}

  // Whether there is anything to apply.
  explicit operator bool() const { return code_ != nullptr; }
  // The operand with the activation applied; the operand itself where there is none.
  Variable operator()(const Variable& x) const { return code_ ? code_(x) : x; }
  // The name of the operator, where it was given by its name.
  const std::string& operator_name() const { return op_; }

 private:
  std::string op_;
  Code code_;
};

// A shape, or the only number of one.
struct Extents : Shape {
  using Shape::Shape;
  // An extent is a shape, or the number of its only axis.
  Extents(const Shape& shape) : Shape(shape) {}
  template <std::integral N>
  Extents(N n) : Shape({static_cast<int64_t>(n)}) {}
};

// One number for each axis of a kernel, or one for all.
template <class T>
class PerAxis {
 public:
  // One number for all axes, or a list with one for each.
  PerAxis(T all) : values_{all} {}
  PerAxis(std::initializer_list<T> values) : values_(values.begin(), values.end()) {}
  PerAxis(const std::vector<T>& values) : values_(values.begin(), values.end()) {}
  // As many as there are axes; an error names `what`.
  std::vector<int64_t> over(int axes, const char* what) const;
  // The numbers that were given.
  const std::vector<int64_t>& values() const { return values_; }

 private:
  std::vector<int64_t> values_;
};
extern template class CANTIK_API PerAxis<int64_t>;
extern template class CANTIK_API PerAxis<bool>;

}  // namespace cantik::layers
