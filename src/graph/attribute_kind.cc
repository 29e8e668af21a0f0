#include "graph/attribute_kind.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "graph/operator.h"

namespace cantik {
namespace {

using Integers = std::vector<int64_t>;
using Reals = std::vector<double>;

const char* expected(const AttributeInfo& field) {
  if (field.role == CANTIK_DTYPE) return "an element type such as numpy.float32";
  if (field.role == CANTIK_AXIS || field.role == CANTIK_BOUNDARY) return "a whole number or an Axis";
  if (field.role == CANTIK_AXES) return "a whole number, an Axis or a list of them";
  if (field.role == CANTIK_LIST) return "a list of whole numbers";
  if (field.value.get<bool>()) return "True or False";
  if (field.value.get<double>()) return "a number";
  if (field.value.get<std::string>()) return "a text";
  if (field.value.get<Reals>()) return "a number or a list of numbers";
  if (!field.value.get<Integers>()) return "a whole number";
  return field.role == CANTIK_FLAGS ? "True or False, or a list of them"
                                    : "a whole number or a list of whole numbers";
}

std::optional<int64_t> whole(double d) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (!(d >= -kLimit && d < kLimit) || d != std::floor(d)) return {};
  return static_cast<int64_t>(d);
}

std::optional<int64_t> integer_in(const Attribute& a) {
  if (auto* i = a.get<int64_t>()) return *i;
  if (auto* b = a.get<bool>()) return *b;
  if (auto* d = a.get<double>()) return whole(*d);
  return {};
}

std::optional<Integers> integers_in(const Attribute& a) {
  if (auto* list = a.get<Integers>()) return *list;
  if (std::optional<int64_t> one = integer_in(a)) return Integers{*one};
  auto* reals = a.get<Reals>();
  if (!reals) return {};
  Integers list;
  for (double d : *reals) {
    std::optional<int64_t> i = whole(d);
    if (!i) return {};
    list.push_back(*i);
  }
  return list;
}

std::optional<double> real_in(const Attribute& a) {
  if (a.get<double>() || a.get<int64_t>() || a.get<bool>()) return a.real();
  return {};
}

std::optional<Reals> reals_in(const Attribute& a) {
  if (auto* list = a.get<Reals>()) return *list;
  if (auto* list = a.get<Integers>()) return Reals(list->begin(), list->end());
  if (std::optional<double> one = real_in(a)) return Reals{*one};
  return {};
}

bool is_flag(int64_t i) { return i == 0 || i == 1; }

// Files have numbers of this role in 32 bits.
bool is_too_long(const AttributeInfo& field, const Attribute& a) {
  auto out = [](int64_t i) { return i != static_cast<int32_t>(i); };
  if (field.role != CANTIK_SIGNED) return false;
  if (auto* list = a.get<Integers>()) return std::any_of(list->begin(), list->end(), out);
  return a.get<int64_t>() && out(a.integer());
}

// Undefined where the field cannot hold the value.
Attribute converted(const AttributeInfo& field, const Attribute& given) {
  const Attribute& kind = field.value;
  if (given.storage().index() == kind.storage().index() && field.role != CANTIK_FLAGS) return given;
  if (kind.get<bool>()) {
    std::optional<int64_t> i = integer_in(given);
    return i && is_flag(*i) ? Attribute(*i != 0) : Attribute();
  }
  if (kind.get<double>()) {
    std::optional<double> d = real_in(given);
    return d ? Attribute(*d) : Attribute();
  }
  if (kind.get<Reals>()) {
    std::optional<Reals> list = reals_in(given);
    return list ? Attribute(*list) : Attribute();
  }
  if (kind.get<Integers>() || field.role == CANTIK_LIST) {
    std::optional<Integers> list = integers_in(given);
    if (list && field.role == CANTIK_FLAGS)
      for (int64_t i : *list)
        if (!is_flag(i)) return {};
    return list ? Attribute(*list) : Attribute();
  }
  if (kind.get<std::string>()) return {};
  std::optional<int64_t> i = integer_in(given);
  return i ? Attribute(*i) : Attribute();
}

}  // namespace

Error wrong_attribute(const OperatorInfo& op, const AttributeInfo& field, const std::string& given) {
  return type_error(
             cat(op.name, ": the attribute ", field.name, " must be ", expected(field), ", not ", given))
      .remedy(op.signature);
}

Attribute fitted(const Operator& op, const AttributeInfo& field, const Attribute& given) {
  if (!given.defined()) return field.value;  // None asks for the default
  // Operators read texts up to their first zero byte: the rest would be lost.
  if (const auto* text = given.get<std::string>(); text && text->find('\0') != std::string::npos)
    throw value_error(cat(op.name, ": the attribute ", field.name,
                          " is a text with a zero byte, behind its first ", text->find('\0'), " bytes"))
        .remedy("leave the zero byte out");
  Attribute fits = converted(field, given);
  if (!fits.defined() || is_too_long(field, fits)) throw wrong_attribute(op, field, given.text());
  return fits;
}

std::vector<Attribute> attributes_of(const Operator& op, std::span<const cantik_argument> given) {
  std::vector<Attribute> attributes = op.defaults();
  for (const cantik_argument& a : given) {
    const std::string_view name = a.name;
    if (name == "name") continue;
    const int f = op.field(a.name);
    if (f < 0) throw type_error(cat(op.name, " has no attribute ", name));
    attributes[f] = fitted(op, op.fields[f], from_c(a.value));
  }
  return attributes;
}

}  // namespace cantik
