// Making, folding and printing scalar expressions.
#include "graph/expression.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <cantik/error.h>
#include <cantik/op/opcode.h>

#include "base/text.h"

namespace cantik {
namespace {

struct Opcode {
  int32_t op;
  const char* name;
  int arity;
};
constexpr Opcode kOpcodes[] = {
    {CANTIK_X_INPUT, "input", 0},
    {CANTIK_X_ATTRIBUTE, "attribute", 0},
    {CANTIK_X_CONSTANT, "constant", 0},
    {CANTIK_X_ADD, "add", 2},
    {CANTIK_X_SUB, "sub", 2},
    {CANTIK_X_MUL, "mul", 2},
    {CANTIK_X_DIV, "div", 2},
    {CANTIK_X_MIN, "min", 2},
    {CANTIK_X_MAX, "max", 2},
    {CANTIK_X_POW, "pow", 2},
    {CANTIK_X_LT, "lt", 2},
    {CANTIK_X_LE, "le", 2},
    {CANTIK_X_GT, "gt", 2},
    {CANTIK_X_GE, "ge", 2},
    {CANTIK_X_EQ, "eq", 2},
    {CANTIK_X_NE, "ne", 2},
    {CANTIK_X_LOG_ADD_EXP, "log_add_exp", 2},
    {CANTIK_X_NEG, "neg", 1},
    {CANTIK_X_ABS, "abs", 1},
    {CANTIK_X_SQRT, "sqrt", 1},
    {CANTIK_X_FLOOR, "floor", 1},
    {CANTIK_X_CEIL, "ceil", 1},
    {CANTIK_X_EXP, "exp", 1},
    {CANTIK_X_LOG, "log", 1},
    {CANTIK_X_SIN, "sin", 1},
    {CANTIK_X_COS, "cos", 1},
    {CANTIK_X_TAN, "tan", 1},
    {CANTIK_X_ASIN, "asin", 1},
    {CANTIK_X_ACOS, "acos", 1},
    {CANTIK_X_ATAN, "atan", 1},
    {CANTIK_X_SINH, "sinh", 1},
    {CANTIK_X_COSH, "cosh", 1},
    {CANTIK_X_TANH, "tanh", 1},
    {CANTIK_X_ASINH, "asinh", 1},
    {CANTIK_X_ACOSH, "acosh", 1},
    {CANTIK_X_ATANH, "atanh", 1},
    {CANTIK_X_SIGMOID, "sigmoid", 1},
    {CANTIK_X_SIGN, "sign", 1},
    {CANTIK_X_RECIPROCAL, "reciprocal", 1},
    {CANTIK_X_SOFTPLUS, "softplus", 1},
    {CANTIK_X_ERF, "erf", 1},
    {CANTIK_X_SELECT, "select", 3},
    {CANTIK_X_FMA, "fma", 3},
};

constexpr size_t kCodes = 128;  // all opcodes are smaller

constexpr auto kByCode = [] {
  std::array<Opcode, kCodes> table{};
  for (const Opcode& o : kOpcodes) table[static_cast<size_t>(o.op)] = o;
  return table;
}();

const Opcode& opcode(int32_t op) {
  static constexpr Opcode kNone{};  // without a name
  return static_cast<uint32_t>(op) < kCodes ? kByCode[static_cast<size_t>(op)] : kNone;
}

}  // namespace

int arity(int32_t op) { return opcode(op).arity; }
const char* opcode_name(int32_t op) { return opcode(op).name; }

Expression Expression::from_c(const cantik_expression& e) {
  Expression x;
  if (e.count == 0) return x;
  x.codes.reserve(static_cast<size_t>(e.count));
  for (int32_t i = 0; i < e.count; ++i) {
    const cantik_code& k = e.code[i];
    int n = arity(k.op);
    if (!opcode_name(k.op))
      throw value_error("the expression has the unknown opcode " + std::to_string(k.op))
          .remedy("install a newer Cantik, or build the operator library with this one's headers");
    for (int j = 0; j < n; ++j)
      if (k.arg[j] < 0 || k.arg[j] >= i)
        throw value_error("code " + std::to_string(i) + " of the expression reads a later one");
    if ((k.op == CANTIK_X_INPUT || k.op == CANTIK_X_ATTRIBUTE) && k.arg[0] < 0)
      throw value_error("the expression reads an input with a negative number");
    x.codes.push_back({k.op, k.arg[0], n > 1 ? k.arg[1] : -1, n > 2 ? k.arg[2] : -1,
                       k.op == CANTIK_X_CONSTANT ? k.value : 0});
  }
  if (e.result < 0 || e.result >= e.count) throw value_error("the expression has no result");
  x.results = {e.result};
  return x;
}

int32_t Expression::push(Code k) {
  int n = arity(k.op);
  auto constant_at = [&](int32_t i) { return codes[i].op == CANTIK_X_CONSTANT; };
  auto value_at = [&](int32_t i) { return codes[i].value; };
  if (n > 0 && constant_at(k.a) && (n < 2 || constant_at(k.b)) && (n < 3 || constant_at(k.c)))
    return constant(apply_opcode(k.op, value_at(k.a), n > 1 ? value_at(k.b) : 0, n > 2 ? value_at(k.c) : 0));
  switch (k.op) {  // identities that hold for every number, infinities and NaN included
    case CANTIK_X_MUL:
      if (is_constant(k.a, 1)) return k.b;
      if (is_constant(k.b, 1)) return k.a;
      break;
    case CANTIK_X_DIV:
      if (is_constant(k.b, 1)) return k.a;
      break;
    case CANTIK_X_SUB:
      if (is_constant(k.b, 0) && !std::signbit(value_at(k.b))) return k.a;
      break;
    case CANTIK_X_NEG:
      if (codes[k.a].op == CANTIK_X_NEG) return codes[k.a].a;
      break;
    case CANTIK_X_SELECT:
      if (constant_at(k.a)) return value_at(k.a) != 0 ? k.b : k.c;
      if (k.b == k.c) return k.b;
      break;
    default: break;
  }
  for (size_t i = 0; i < codes.size(); ++i) {
    const Code& o = codes[i];
    if (o.op == k.op && o.a == k.a && o.b == k.b && o.c == k.c &&
        std::bit_cast<uint64_t>(o.value) == std::bit_cast<uint64_t>(k.value))
      return static_cast<int32_t>(i);
  }
  if (codes.size() == codes.capacity()) codes.reserve(std::max<size_t>(8, 2 * codes.size()));
  codes.push_back(k);
  return static_cast<int32_t>(codes.size() - 1);
}

Expression::Places Expression::splice(const Expression& other,
                                      const std::function<int32_t(const Code&)>& leaf) {
  Places place;
  place.resize(other.codes.size());
  codes.reserve(codes.size() + other.codes.size());
  for (size_t i = 0; i < other.codes.size(); ++i) {
    Code k = other.codes[i];
    int n = arity(k.op);
    if (k.op == CANTIK_X_INPUT || k.op == CANTIK_X_ATTRIBUTE) {
      place[i] = leaf(k);
      continue;
    }
    if (n > 0) k.a = place[k.a];
    if (n > 1) k.b = place[k.b];
    if (n > 2) k.c = place[k.c];
    place[i] = push(k);
  }
  return place;
}

int Expression::inputs() const {
  int n = 0;
  for (const Code& k : codes)
    if (k.op == CANTIK_X_INPUT) n = std::max(n, k.a + 1);
  return n;
}

bool Expression::reads(int32_t input) const {
  return std::any_of(codes.begin(), codes.end(),
                     [&](const Code& k) { return k.op == CANTIK_X_INPUT && k.a == input; });
}

void Expression::drop_unused() {
  SmallVector<char, 32> used;
  used.resize(codes.size());
  for (int32_t r : results) used[r] = 1;
  for (size_t i = codes.size(); i-- > 0;) {
    if (!used[i]) continue;
    int n = arity(codes[i].op);
    if (n > 0) used[codes[i].a] = 1;
    if (n > 1) used[codes[i].b] = 1;
    if (n > 2) used[codes[i].c] = 1;
  }
  if (std::find(used.begin(), used.end(), 0) == used.end()) return;
  Places place;
  place.resize(codes.size(), -1);
  std::vector<Code> kept;
  kept.reserve(codes.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    if (!used[i]) continue;
    Code k = codes[i];
    int n = arity(k.op);
    if (n > 0) k.a = place[k.a];
    if (n > 1) k.b = place[k.b];
    if (n > 2) k.c = place[k.c];
    place[i] = static_cast<int32_t>(kept.size());
    kept.push_back(k);
  }
  for (int32_t& r : results) r = place[r];
  codes = std::move(kept);
}

void Expression::evaluate(std::span<const double> in, std::span<const double> attributes,
                          std::span<double> out) const {
  std::vector<double> v(codes.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    const Code& k = codes[i];
    auto at = [&](int32_t j) { return j < 0 ? 0 : v[j]; };
    if (k.op == CANTIK_X_INPUT)
      v[i] = in[k.a];
    else if (k.op == CANTIK_X_ATTRIBUTE)
      v[i] = attributes[k.a];
    else if (k.op == CANTIK_X_CONSTANT)
      v[i] = k.value;
    else
      v[i] = apply_opcode(k.op, at(k.a), at(k.b), at(k.c));
  }
  for (size_t i = 0; i < results.size(); ++i) out[i] = v[results[i]];
}

std::string Expression::text(const std::function<std::string(int32_t)>& input_name) const {
  std::vector<std::string> t(codes.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    const Code& k = codes[i];
    int n = arity(k.op);
    if (k.op == CANTIK_X_INPUT)
      t[i] = input_name ? input_name(k.a) : cat("x", k.a);
    else if (k.op == CANTIK_X_ATTRIBUTE)
      t[i] = cat("a", k.a);
    else if (k.op == CANTIK_X_CONSTANT) {
      char number[32];
      std::snprintf(number, sizeof number, "%.9g", k.value);
      t[i] = number;
    } else {
      t[i] = std::string(opcode_name(k.op)) + "(" + t[k.a];
      if (n > 1) t[i] += ", " + t[k.b];
      if (n > 2) t[i] += ", " + t[k.c];
      t[i] += ")";
    }
  }
  std::string s;
  for (int32_t r : results) s += (s.empty() ? "" : "; ") + t[r];
  return s;
}

size_t Expression::hash() const {
  size_t h = 1469598103934665603u;
  auto mix = [&](uint64_t x) {
    h = (h ^ x) * 1099511628211u;
    h ^= h >> 29;
  };
  for (const Code& k : codes) {
    mix(static_cast<uint64_t>(k.op) << 32 | static_cast<uint32_t>(k.a));
    mix(static_cast<uint64_t>(static_cast<uint32_t>(k.b)) << 32 | static_cast<uint32_t>(k.c));
    mix(std::bit_cast<uint64_t>(k.value));
  }
  for (int32_t r : results) mix(static_cast<uint32_t>(r));
  return h;
}

}  // namespace cantik
