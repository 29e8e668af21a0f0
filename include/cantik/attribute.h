// Attribute: a constant of an operator's node, as a number, a text or a list.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <cantik/api.h>
#include <cantik/axis.h>
#include <cantik/dtype.h>
#include <cantik/shape.h>

namespace cantik {

// The value of an attribute: nothing, a truth value, a whole or real number, a text, or a list of numbers. A
// shape is a list, an axis its code, an element type its number.
class CANTIK_API Attribute {
 public:
  // What an attribute may hold; std::monostate: nothing.
  using Storage = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<double>>;

  Attribute() = default;
  // An attribute is made of the value itself.
  Attribute(bool v) : v_(v) {}
  Attribute(int v) : v_(static_cast<int64_t>(v)) {}
  Attribute(int64_t v) : v_(v) {}
  Attribute(double v) : v_(v) {}
  Attribute(const char* v) : v_(std::string(v)) {}
  Attribute(std::string v) : v_(std::move(v)) {}
  Attribute(std::vector<int64_t> v) : v_(std::move(v)) {}
  Attribute(std::vector<double> v) : v_(std::move(v)) {}
  Attribute(const Shape& v) : v_(std::vector<int64_t>(v.begin(), v.end())) {}
  Attribute(const Axis& v) : v_(v.code()) {}
  Attribute(DType v) : v_(static_cast<int64_t>(v)) {}

  // Whether it holds anything.
  bool defined() const { return v_.index() != 0; }
  // The value as a variant.
  const Storage& storage() const { return v_; }
  // The value, where it is of the type T; otherwise null.
  template <class T>
  const T* get() const {
    return std::get_if<T>(&v_);
  }
  // The value as a whole number; `otherwise` where it holds no number.
  int64_t integer(int64_t otherwise = 0) const;
  // The value as a real number; `otherwise` where it holds no number.
  double real(double otherwise = 0) const;
  // The value as it is printed.
  std::string text() const;
  friend bool operator==(const Attribute&, const Attribute&) = default;

 private:
  Storage v_;
};

// An attribute with its name, as call() takes it.
struct NamedAttribute {
  std::string_view name;  // of the attribute in the operator's signature
  Attribute value;        // what it is given
};

}  // namespace cantik
