// Parameters of operators: a struct that states its fields once, and is read from texts given by keyword.
//
//   struct ClipParam : public dmlc::Parameter<ClipParam> {
//     float a_min, a_max;
//     DMLC_DECLARE_PARAMETER(ClipParam) {
//       DMLC_DECLARE_FIELD(a_min).describe("Minimum value");
//       DMLC_DECLARE_FIELD(a_max).set_default(1).describe("Maximum value");
//     }
//   };
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cantik/mxnet/shape.h>
#include <cantik/mxnet/tuple.h>
#include <cantik/op/infer.h>

namespace dmlc {

template <class T>
using optional = std::optional<T>;

// What there is to say about one parameter of an operator; an operand's type is NDArray.
struct ParamFieldInfo {
  std::string name, type, type_info_str, description;
};

namespace parameter {

// ---- texts to values. False where the text is not one.
inline bool read(const std::string& text, std::string& v) {
  v = text;
  return true;
}
inline bool read(const std::string& text, bool& v) {
  v = text == "True" || text == "true" || text == "1";
  return v || text == "False" || text == "false" || text == "0";
}
template <class T>
  requires(std::is_arithmetic_v<T>)
bool read(const std::string& text, T& v) {
  char* end = nullptr;
  errno = 0;
  if constexpr (std::is_floating_point_v<T>) {
    v = static_cast<T>(std::strtod(text.c_str(), &end));
  } else if constexpr (std::is_signed_v<T>) {
    const long long whole = std::strtoll(text.c_str(), &end, 10);
    if (errno || !std::in_range<T>(whole)) return false;
    v = static_cast<T>(whole);
  } else {
    const unsigned long long whole = std::strtoull(text.c_str(), &end, 10);
    if (errno || !std::in_range<T>(whole) || text.find('-') != std::string::npos) return false;
    v = static_cast<T>(whole);
  }
  return !text.empty() && *end == 0;
}
inline bool read(const std::string& text, nnvm::TShape& v) {  // (2, 3), [2, 3] or 2
  std::vector<int64_t> dims;
  const char* at = text.c_str();
  while (*at == ' ' || *at == '(' || *at == '[') ++at;
  while (*at && *at != ')' && *at != ']') {
    char* end = nullptr;
    errno = 0;
    dims.push_back(std::strtoll(at, &end, 10));
    if (end == at || errno) return false;
    at = end;
    while (*at == ' ' || *at == ',' || *at == 'L') ++at;
  }
  v = nnvm::TShape(dims.begin(), dims.end());
  return true;
}
template <class T>
bool read(const std::string& text, std::optional<T>& v) {
  v.reset();
  return text == "None" || read(text, v.emplace());
}

template <class T>
bool read(const std::string& text, nnvm::Tuple<T>& v) {  // (0.5, 2), [0.5, 2] or 0.5
  v = {};
  size_t at = 0, end = text.size();
  while (at < end && (text[at] == ' ' || text[at] == '(' || text[at] == '[')) ++at;
  while (end > at &&
         (text[end - 1] == ' ' || text[end - 1] == ')' || text[end - 1] == ']' || text[end - 1] == ','))
    --end;
  while (at < end) {
    size_t comma = std::min(text.find(',', at), end);
    std::string one = text.substr(at, comma - at);
    one.erase(0, one.find_first_not_of(' '));
    one.erase(one.find_last_not_of(' ') + 1);
    T number{};
    if (!read(one, number)) return false;
    v.push_back(number);
    at = comma + 1;
  }
  return true;
}

template <class T>
struct TypeName {
  static constexpr const char* value = "string";
};
template <>
struct TypeName<bool> {
  static constexpr const char* value = "boolean";
};
template <>
struct TypeName<int> {
  static constexpr const char* value = "int";
};
template <>
struct TypeName<int64_t> {
  static constexpr const char* value = "long";
};
template <>
struct TypeName<uint32_t> {
  static constexpr const char* value = "int (non-negative)";
};
template <>
struct TypeName<uint64_t> {
  static constexpr const char* value = "long (non-negative)";
};
template <>
struct TypeName<float> {
  static constexpr const char* value = "float";
};
template <>
struct TypeName<double> {
  static constexpr const char* value = "double";
};
template <class T>
struct TypeName<nnvm::Tuple<T>> {
  static constexpr const char* value = std::is_floating_point_v<T> ? "tuple of <float>" : "Shape(tuple)";
};
template <>
struct TypeName<nnvm::TShape> {
  static constexpr const char* value = "Shape(tuple)";
};

template <class T>
std::string show(const T& v) {
  std::ostringstream s;
  if constexpr (std::is_same_v<T, std::string>)
    s << "'" << v << "'";
  else if constexpr (requires { v.has_value(); })
    s << (v ? show(*v) : "None");
  else
    s << v;
  return s.str();
}

class Field {
 public:
  explicit Field(std::string key) : name(std::move(key)) {}
  virtual ~Field() = default;
  virtual void set(const std::string& text) = 0;
  virtual void set_to_default() = 0;
  virtual bool has_default() const = 0;
  virtual std::string type() const = 0;
  virtual std::string type_info() const = 0;
  ParamFieldInfo info() const { return {name, type(), type_info(), description}; }

  std::string name, description;
};

// One field under declaration; every call below states one thing.
template <class T>
class TypedField final : public Field {
 public:
  TypedField(std::string key, T& place) : Field(std::move(key)), place_(place) {}
  TypedField& set_default(const T& v) {
    default_ = v;
    return *this;
  }
  TypedField& describe(const std::string& text) {
    description = text;
    return *this;
  }
  TypedField& add_enum(const std::string& word, const T& v) {
    words_[word] = v;
    return *this;
  }
  TypedField& set_range(const T& low, const T& high) {
    low_ = low, high_ = high;
    return *this;
  }
  TypedField& set_lower_bound(const T& low) {
    low_ = low;
    return *this;
  }

  void set(const std::string& text) override {
    if (!words_.empty()) {
      auto found = words_.find(text);
      if (found == words_.end())
        throw cantik::value_failure("Invalid Input: '" + text + "', valid values are: " + type());
      place_ = found->second;
      return;
    }
    if (!read(text, place_))
      throw cantik::value_failure("Invalid Parameter format for " + name + " expect " + type() +
                                  " but value='" + text + "'");
    if constexpr (requires(T a, T b) { a < b; }) {
      if (low_ && place_ < *low_)
        throw cantik::value_failure("value " + text + " for Parameter " + name +
                                    " should be greater equal to " + show(*low_));
      if (high_ && *high_ < place_)
        throw cantik::value_failure("value " + text + " for Parameter " + name +
                                    " should be smaller equal to " + show(*high_));
    }
  }
  void set_to_default() override { place_ = *default_; }
  bool has_default() const override { return default_.has_value(); }
  std::string type() const override {
    if (words_.empty()) return TypeName<T>::value;
    std::string all;
    for (const auto& [word, v] : words_) all += (all.empty() ? "{'" : ", '") + word + "'";
    return all + "}";
  }
  std::string type_info() const override {
    if (!default_) return type() + ", required";
    std::string value = show(*default_);
    for (const auto& [word, v] : words_)
      if (same(v, *default_)) value = "'" + word + "'";
    return type() + ", optional, default=" + value;
  }

 private:
  static bool same(const T& a, const T& b) {
    if constexpr (requires { a == b; })
      return a == b;
    else
      return false;
  }
  T& place_;
  std::optional<T> default_, low_, high_;
  std::map<std::string, T> words_;
};

// The fields of one struct, in order.
class Fields {
 public:
  template <class T>
  TypedField<T>& declare(const char* name, T& place) {
    auto field = std::make_unique<TypedField<T>>(name, place);
    TypedField<T>& made = *field;
    fields_.push_back(std::move(field));
    return made;
  }
  template <class Texts>
  void set(const Texts& given) {
    for (const auto& f : fields_)
      if (!given.count(f->name)) {
        if (!f->has_default())
          throw cantik::value_failure("Required parameter " + f->name + " of " +
                                      (f->type()[0] == '{' ? "int" : f->type()) + " is not presented");
        f->set_to_default();
      }
    for (const auto& [name, text] : given) {
      Field* found = nullptr;
      for (const auto& f : fields_)
        if (f->name == name) found = f.get();
      if (!found)
        throw cantik::value_failure("Cannot find argument '" + name +
                                    "', Possible Arguments:\n----------------\n" + text_of_all());
      found->set(text);
    }
  }
  std::vector<ParamFieldInfo> info() const {
    std::vector<ParamFieldInfo> all;
    for (const auto& f : fields_) all.push_back(f->info());
    return all;
  }

 private:
  std::string text_of_all() const {
    std::string all;
    for (const ParamFieldInfo& f : info())
      all += f.name + " : " + f.type_info_str + "\n    " + f.description + "\n";
    return all;
  }
  std::vector<std::unique_ptr<Field>> fields_;
};

}  // namespace parameter

template <class PType>
struct Parameter {
  // Reads the fields from texts by their names; those that are not given take their defaults.
  template <class Texts>
  void Init(const Texts& given) {
    fields().set(given);
  }
  static std::vector<ParamFieldInfo> __FIELDS__() {
    PType p;
    return p.fields().info();
  }

 private:
  parameter::Fields fields() {
    parameter::Fields all;
    static_cast<PType*>(this)->__DECLARE__(all);
    return all;
  }
};

}  // namespace dmlc

#define DMLC_DECLARE_PARAMETER(PType) \
  void __DECLARE__([[maybe_unused]] ::dmlc::parameter::Fields& declared_fields)
#define DMLC_DECLARE_FIELD(name) declared_fields.declare(#name, this->name)
#define DMLC_REGISTER_PARAMETER(PType) static_assert(true)
