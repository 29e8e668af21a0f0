// Attributes of an operator: a plain struct and the list of its fields, from which come signature, printing,
// equality and files.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <cantik/axis_code.h>
#include <cantik/dtype.h>
#include <cantik/field_list.h>
#include <cantik/op/real.h>
#include <cantik/plugin.h>
#include <cantik/shape.h>

namespace cantik {

// An attribute of an operator: a member of the struct A, with its name in calls.
template <class A, class T>
struct Field {
  const char* name;  // in signatures
  T A::* member;     // of the struct
  const char* doc;   // one line
  const char* key_ = nullptr;
  int32_t role_ = CANTIK_PLAIN;
  uint32_t flags_ = 0;

  // Its name in CNTK's files.
  constexpr Field key(const char* k) const {
    Field f = *this;
    f.key_ = k;
    return f;
  }
  // May change between runs without a new plan.
  constexpr Field live() const {
    Field f = *this;
    f.flags_ |= CANTIK_LIVE;
    return f;
  }
  // What the attribute means where its kind does not say it: a cantik_role.
  constexpr Field role(int32_t r) const {
    Field f = *this;
    f.role_ = r;
    return f;
  }
};

// A field of the member `member`; `doc` is its line in help.
template <class A, class T>
constexpr Field<A, T> field(const char* name, T A::* member, const char* doc) {
  return {name, member, doc};
}
// The attributes of an operator that has none.
struct NoAttributes {
  // The empty list.
  static constexpr auto fields() { return list(); }
};

// ---- one attribute, both ways. Vectors and texts point into the struct: it has to outlive what it was
// turned into.
// The value as it crosses the boundary.
inline cantik_attribute pack(bool v) {
  cantik_attribute a{CANTIK_BOOL, 0, {}};
  a.as.integer = v;
  return a;
}
inline cantik_attribute pack(int64_t v) {
  cantik_attribute a{CANTIK_INT, 0, {}};
  a.as.integer = v;
  return a;
}
inline cantik_attribute pack(double v) {
  cantik_attribute a{CANTIK_REAL, 0, {}};
  a.as.real = v;
  return a;
}
inline cantik_attribute pack(const Real& v) { return pack(v.value()); }
inline cantik_attribute pack(const std::optional<int64_t>& v) {
  return v ? pack(*v) : cantik_attribute{CANTIK_NONE, 0, {}};
}
inline cantik_attribute pack(DType v) { return pack(static_cast<int64_t>(v)); }
inline cantik_attribute pack(const char* v) {
  cantik_attribute a{CANTIK_TEXT, 0, {}};
  a.as.text = v;
  return a;
}
inline cantik_attribute pack(const std::string& v) { return pack(v.c_str()); }
inline cantik_attribute pack(const int64_t* v, size_t n) {
  cantik_attribute a{CANTIK_INTS, static_cast<int32_t>(n), {}};
  a.as.integers = v;
  return a;
}
inline cantik_attribute pack(const std::vector<int64_t>& v) { return pack(v.data(), v.size()); }
inline cantik_attribute pack(const Shape& v) { return pack(v.data(), v.size()); }
inline cantik_attribute pack(const std::vector<double>& v) {
  cantik_attribute a{CANTIK_REALS, static_cast<int32_t>(v.size()), {}};
  a.as.reals = v.data();
  return a;
}

// The value back into a member; an attribute that is absent leaves it as it is.
inline void unpack(const cantik_attribute& a, bool& v) {
  if (a.kind != CANTIK_NONE) v = a.as.integer != 0;
}
inline void unpack(const cantik_attribute& a, int64_t& v) {
  if (a.kind != CANTIK_NONE) v = a.kind == CANTIK_REAL ? static_cast<int64_t>(a.as.real) : a.as.integer;
}
inline void unpack(const cantik_attribute& a, std::optional<int64_t>& v) {
  if (a.kind == CANTIK_INT) v = a.as.integer;
}
inline void unpack(const cantik_attribute& a, double& v) {
  if (a.kind != CANTIK_NONE) v = a.kind == CANTIK_REAL ? a.as.real : static_cast<double>(a.as.integer);
}
inline void unpack(const cantik_attribute& a, Real& v) {
  double d = v.value();
  unpack(a, d);
  v = Real(d);
}
inline void unpack(const cantik_attribute& a, DType& v) {
  if (a.kind != CANTIK_NONE) v = static_cast<DType>(a.as.integer);
}
inline void unpack(const cantik_attribute& a, std::string& v) {
  if (a.kind == CANTIK_TEXT) v = a.as.text;
}
inline void unpack(const cantik_attribute& a, std::vector<int64_t>& v) {
  if (a.kind == CANTIK_INTS) v.assign(a.as.integers, a.as.integers + a.count);
  if (a.kind == CANTIK_INT) v.assign(1, a.as.integer);  // one stands for a list of one
}
inline void unpack(const cantik_attribute& a, Shape& v) {
  if (a.kind == CANTIK_INTS) v = Shape(a.as.integers, static_cast<size_t>(a.count));
  if (a.kind == CANTIK_INT) v = Shape{a.as.integer};
}
inline void unpack(const cantik_attribute& a, std::vector<double>& v) {
  if (a.kind == CANTIK_REALS) v.assign(a.as.reals, a.as.reals + a.count);
  if (a.kind == CANTIK_INTS) v.assign(a.as.integers, a.as.integers + a.count);
  if (a.kind == CANTIK_REAL) v.assign(1, a.as.real);
  if (a.kind == CANTIK_INT) v.assign(1, static_cast<double>(a.as.integer));
}

// The struct of an operator's node.
template <class A>
A read_attributes(const cantik_attribute* values) {
  A a;
  size_t i = 0;
  std::apply([&](auto... f) { (unpack(values[i++], a.*(f.member)), ...); }, A::fields());
  return a;
}

// The struct in which every Real is a symbol, for tracing.
template <class A>
A symbolic_attributes() {
  A a;
  int32_t i = 0;
  auto make = [&](auto f) {
    static_assert(!std::is_same_v<std::decay_t<decltype(a.*(f.member))>, double>,
                  "a formula is traced once for all values of its attributes: declare this one as Real");
    if constexpr (std::is_same_v<std::decay_t<decltype(a.*(f.member))>, Real>)
      a.*(f.member) = Real::symbol(CANTIK_X_ATTRIBUTE, i);
    ++i;
  };
  std::apply([&](auto... f) { (make(f), ...); }, A::fields());
  return a;
}

}  // namespace cantik
