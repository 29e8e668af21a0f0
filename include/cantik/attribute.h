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

class CANTIK_API Attribute {
 public:
  using Storage = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<double>>;

  Attribute() = default;
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

  bool defined() const { return v_.index() != 0; }
  const Storage& storage() const { return v_; }
  template <class T>
  const T* get() const {
    return std::get_if<T>(&v_);
  }
  int64_t integer(int64_t otherwise = 0) const;
  double real(double otherwise = 0) const;
  std::string text() const;
  friend bool operator==(const Attribute&, const Attribute&) = default;

 private:
  Storage v_;
};

struct NamedAttribute {
  std::string_view name;
  Attribute value;
};

}  // namespace cantik
