// Options by name: what a learner or a layer is asked for where a program knows its name at run time only.
// Typed calls, Python's functions and the reference are made of the same descriptions.
#pragma once

#include <any>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cantik {

// A member of an options struct that has no default: an initializer that leaves it out does not compile.
template <class T>
class Required {
 public:
  // The value, from all that a T is made of.
  template <std::convertible_to<T> U>
  Required(U&& value) : value_(std::forward<U>(value)) {}
  // The value from several arguments: {0.9, 256}.
  template <class A, class B, class... Rest>
    requires std::constructible_from<T, A, B, Rest...>
  Required(A&& a, B&& b, Rest&&... rest)
      : value_(std::forward<A>(a), std::forward<B>(b), std::forward<Rest>(rest)...) {}
  // The value.
  operator const T&() const { return value_; }

 private:
  T value_;
};

// What an option is: the type of the values that it takes.
enum class OptionKind : uint8_t {
  flag,         // bool
  whole,        // int64_t
  number,       // double
  text,         // std::string
  seed,         // uint64_t
  dtype,        // DType
  schedule,     // TrainingParameterSchedule
  shape,        // Shape
  extents,      // layers::Extents
  flags,        // layers::PerAxis<bool>
  counts,       // layers::PerAxis<int64_t>
  activation,   // layers::Activation
  activations,  // std::vector<layers::Activation>
  initializer,  // Initializer
  tensor,       // Tensor
  variable,     // Variable
  step,         // layers::Step
  state,        // layers::InitialState
  states,       // std::vector<layers::InitialState>
};

// A value of an option, in the type of the option's kind. Nothing stands for the option's default.
class OptionValue {
 public:
  OptionValue() = default;
  // A flag.
  OptionValue(bool flag) : value_(flag) {}
  // A whole number; an option that is a number takes it too.
  template <std::signed_integral T>
  OptionValue(T whole) : value_(static_cast<int64_t>(whole)) {}
  // A number.
  template <std::floating_point T>
  OptionValue(T number) : value_(static_cast<double>(number)) {}
  // A text.
  OptionValue(const char* text) : value_(std::string(text)) {}
  // Nothing, where the optional is empty.
  template <class T>
  OptionValue(const std::optional<T>& value) {
    if (value) *this = OptionValue(*value);
  }
  // The value of a member that has no default.
  template <class T>
  OptionValue(const Required<T>& value) : OptionValue(static_cast<const T&>(value)) {}
  // A value of any other kind.
  template <class T>
    requires(!std::is_arithmetic_v<T> && !std::same_as<T, OptionValue>)
  OptionValue(T value) : value_(std::move(value)) {}
  // A seed.
  OptionValue(uint64_t seed) : value_(seed) {}

  // The value as a T; null where it is of another type.
  template <class T>
  const T* as() const {
    return std::any_cast<T>(&value_);
  }
  // Whether it stands for the option's default.
  bool is_default() const { return !value_.has_value(); }

 private:
  std::any value_;
};

// Options by their names.
using OptionValues = std::vector<std::pair<std::string, OptionValue>>;

// What is said of an option.
struct OptionDescription {
  std::string name;                      // in calls
  std::string doc;                       // one line
  OptionKind kind = OptionKind::number;  // the type of its values
  bool required = false;                 // it has no default
  bool may_be_left = false;              // a value that stands for nothing is possible: None in Python
  bool optional = false;                 // in C++ a std::optional
  OptionValue value;                     // the default; none: nothing is chosen
  std::string value_text;                // the default as JSON
  std::string default_call;              // the default is asked for each time: the call in C++
  std::string range;                     // of a number, in words: above 0; empty: any
  // ---- in calls
  bool leading = false;   // in C++ it stands before the struct of options, as those do that have no default
  bool behind = false;    // in Python it stands behind the options that all of its kind have
  bool keyword = false;   // in Python it is given by its name alone
  bool scoped = false;    // in Python its default is that of the program's default_options
  bool truth = false;     // in Python it takes whatever is true or false
  bool in_cpp = true;     // whether calls of C++ have it,
  bool in_python = true;  // and those of Python
  // The option that this one stands in place of: where that one is given, default_options do not count.
  std::string instead_of;
};

}  // namespace cantik
