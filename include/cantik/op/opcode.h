// What the opcodes of expressions make of numbers, in double: the meaning that kernels and compiled
// expressions have.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

#include <cantik/plugin.h>

namespace cantik {

// The least and the greatest number are b where a or b is no number, as in CNTK.
inline double apply_opcode(int32_t op, double a, double b = 0, double c = 0) {
  switch (op) {
    case CANTIK_X_ADD: return a + b;
    case CANTIK_X_SUB: return a - b;
    case CANTIK_X_MUL: return a * b;
    case CANTIK_X_DIV: return a / b;
    case CANTIK_X_MIN: return a < b ? a : b;
    case CANTIK_X_MAX: return a > b ? a : b;
    case CANTIK_X_POW: return std::pow(a, b);
    case CANTIK_X_LT: return a < b;
    case CANTIK_X_LE: return a <= b;
    case CANTIK_X_GT: return a > b;
    case CANTIK_X_GE: return a >= b;
    case CANTIK_X_EQ: return a == b;
    case CANTIK_X_NE: return a != b;
    case CANTIK_X_LOG_ADD_EXP: return (a > b ? a : b) + std::log1p(std::exp(-std::fabs(a - b)));
    case CANTIK_X_NEG: return -a;
    case CANTIK_X_ABS: return std::fabs(a);
    case CANTIK_X_SQRT: return std::sqrt(a);
    case CANTIK_X_FLOOR: return std::floor(a);
    case CANTIK_X_CEIL: return std::ceil(a);
    case CANTIK_X_EXP: return std::exp(a);
    case CANTIK_X_LOG: return std::log(a);
    case CANTIK_X_SIN: return std::sin(a);
    case CANTIK_X_COS: return std::cos(a);
    case CANTIK_X_TAN: return std::tan(a);
    case CANTIK_X_ASIN: return std::asin(a);
    case CANTIK_X_ACOS: return std::acos(a);
    case CANTIK_X_ATAN: return std::atan(a);
    case CANTIK_X_SINH: return std::sinh(a);
    case CANTIK_X_COSH: return std::cosh(a);
    case CANTIK_X_TANH: return std::tanh(a);
    case CANTIK_X_ASINH: return std::asinh(a);
    case CANTIK_X_ACOSH: return std::acosh(a);
    case CANTIK_X_ATANH: return std::atanh(a);
    case CANTIK_X_SIGMOID: return 1 / (1 + std::exp(-a));
    case CANTIK_X_SIGN: return (a > 0) - (a < 0);
    case CANTIK_X_RECIPROCAL: return 1 / a;
    case CANTIK_X_SOFTPLUS: return a > 0 ? a + std::log1p(std::exp(-a)) : std::log1p(std::exp(a));
    case CANTIK_X_ERF: return std::erf(a);
    case CANTIK_X_SELECT: return a != 0 ? b : c;
    case CANTIK_X_FMA: return std::fma(a, b, c);
    default: throw std::logic_error("no function of numbers has the opcode " + std::to_string(op));
  }
}

}  // namespace cantik
