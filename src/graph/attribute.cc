#include <cantik/attribute.h>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "graph/operator.h"

namespace cantik {

int64_t Attribute::integer(int64_t otherwise) const {
  if (auto* i = get<int64_t>()) return *i;
  if (auto* b = get<bool>()) return *b;
  if (auto* r = get<double>()) return static_cast<int64_t>(*r);
  return otherwise;
}

double Attribute::real(double otherwise) const {
  if (auto* r = get<double>()) return *r;
  if (auto* i = get<int64_t>()) return static_cast<double>(*i);
  if (auto* b = get<bool>()) return *b;
  return otherwise;
}

std::string Attribute::text() const {
  auto number = [](double d) {
    char s[32];
    std::snprintf(s, sizeof s, "%.9g", d);
    return std::string(s);
  };
  struct Visitor {
    decltype(number)& real;
    std::string operator()(std::monostate) const { return "None"; }
    std::string operator()(bool b) const { return b ? "True" : "False"; }
    std::string operator()(int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return real(d); }
    std::string operator()(const std::string& s) const { return "'" + s + "'"; }
    std::string operator()(const std::vector<int64_t>& v) const {
      std::string s = "[";
      for (size_t i = 0; i < v.size(); ++i) s += (i ? ", " : "") + std::to_string(v[i]);
      return s + "]";
    }
    std::string operator()(const std::vector<double>& v) const {
      std::string s = "[";
      for (size_t i = 0; i < v.size(); ++i) s += (i ? ", " : "") + real(v[i]);
      return s + "]";
    }
  };
  return std::visit(Visitor{number}, v_);
}

cantik_attribute to_c(const Attribute& a) {
  cantik_attribute c{CANTIK_NONE, 0, {}};
  if (auto* b = a.get<bool>())
    c.kind = CANTIK_BOOL, c.as.integer = *b;
  else if (auto* i = a.get<int64_t>())
    c.kind = CANTIK_INT, c.as.integer = *i;
  else if (auto* r = a.get<double>())
    c.kind = CANTIK_REAL, c.as.real = *r;
  else if (auto* s = a.get<std::string>())
    c.kind = CANTIK_TEXT, c.as.text = s->c_str();
  else if (auto* is = a.get<std::vector<int64_t>>())
    c.kind = CANTIK_INTS, c.count = static_cast<int32_t>(is->size()), c.as.integers = is->data();
  else if (auto* rs = a.get<std::vector<double>>())
    c.kind = CANTIK_REALS, c.count = static_cast<int32_t>(rs->size()), c.as.reals = rs->data();
  return c;
}

AttributesInC to_c(std::span<const Attribute> attributes) {
  AttributesInC c;
  for (const Attribute& a : attributes) c.push_back(to_c(a));
  return c;
}

Attribute from_c(const cantik_attribute& a) {
  switch (a.kind) {
    case CANTIK_BOOL: return a.as.integer != 0;
    case CANTIK_INT: return a.as.integer;
    case CANTIK_REAL: return a.as.real;
    case CANTIK_TEXT: return a.as.text;
    case CANTIK_INTS: return std::vector<int64_t>(a.as.integers, a.as.integers + a.count);
    case CANTIK_REALS: return std::vector<double>(a.as.reals, a.as.reals + a.count);
    default: return {};
  }
}

}  // namespace cantik
