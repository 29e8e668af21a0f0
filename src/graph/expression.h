// Scalar expressions: what elementwise operators compute, and what fusion makes of chains of them.
//
// Codes stand in order of dependence; an argument is the place of an earlier code. An expression may have
// several results.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <cantik/plugin.h>

#include "base/small_vector.h"

namespace cantik {

struct Code {
  int32_t op = CANTIK_X_CONSTANT;
  int32_t a = -1, b = -1, c = -1;
  double value = 0;
  friend bool operator==(const Code&, const Code&) = default;
};

int arity(int32_t op);                // of a code: 0 to 3
const char* opcode_name(int32_t op);  // "add"; null for an unknown one

class Expression {
 public:
  Expression() = default;
  static Expression from_c(const cantik_expression& e);  // verified: an error for anything malformed

  bool empty() const { return codes.empty(); }
  int32_t push(Code code);  // shares equal codes, folds constants and identities
  int32_t input(int32_t i) { return push({CANTIK_X_INPUT, i, -1, -1, 0}); }
  int32_t attribute(int32_t i) { return push({CANTIK_X_ATTRIBUTE, i, -1, -1, 0}); }
  int32_t constant(double v) { return push({CANTIK_X_CONSTANT, -1, -1, -1, v}); }
  int32_t make(int32_t op, int32_t a, int32_t b = -1, int32_t c = -1) { return push({op, a, b, c, 0}); }

  // Adds another expression's codes with its inputs (and attributes) replaced by codes of this one; where its
  // codes went.
  using Places = SmallVector<int32_t, 16>;
  Places splice(const Expression& other, const std::function<int32_t(const Code&)>& leaf);

  int inputs() const;  // one more than the highest input read
  bool reads(int32_t input) const;
  const Code& result(size_t i) const { return codes[results[i]]; }
  bool is_constant(int32_t code, double value) const {
    return codes[code].op == CANTIK_X_CONSTANT && codes[code].value == value;
  }
  void drop_unused();  // keeps what the results need

  void evaluate(std::span<const double> inputs, std::span<const double> attributes,
                std::span<double> results) const;
  std::string text(const std::function<std::string(int32_t)>& input_name = {}) const;
  size_t hash() const;
  friend bool operator==(const Expression&, const Expression&) = default;

  std::vector<Code> codes;
  SmallVector<int32_t, 2> results;
};

// d result / d input i, times dy. Reads the inputs 0 .. n-1, y as input n, dy as input n + 1.
Expression derivative(const Expression& e, int32_t input, int32_t n);

}  // namespace cantik
