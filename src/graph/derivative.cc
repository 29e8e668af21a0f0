// Symbolic derivatives of scalar expressions, backwards from the result.
#include <cmath>
#include <numbers>
#include <vector>

#include "graph/expression.h"

namespace cantik {
namespace {

// Builds the derivative beside a copy of the expression; adjoints[i] is d result / d code i, times dy.
class Backward {
 public:
  Backward(const Expression& e, int32_t n) {
    y_ = out_.input(n);
    dy_ = out_.input(n + 1);
    place_ = out_.splice(e, [&](const Code& k) { return out_.push(k); });
    adjoint_.resize(e.codes.size(), -1);
  }

  Expression run(const Expression& e, int32_t input) {
    adjoint_[e.results[0]] = dy_;
    int32_t total = -1;
    for (size_t i = e.codes.size(); i-- > 0;) {
      if (adjoint_[i] < 0) continue;
      const Code& k = e.codes[i];
      if (k.op == CANTIK_X_INPUT) {
        if (k.a == input) total = adjoint_[i];
        continue;
      }
      // The result itself is y: exp and tanh reuse it instead of being computed again.
      int32_t self = static_cast<int32_t>(i) == e.results[0] ? y_ : place_[i];
      spread(k, self, adjoint_[i]);
    }
    out_.results = {total < 0 ? out_.constant(0) : total};
    out_.drop_unused();
    return std::move(out_);
  }

 private:
  int32_t at(int32_t i) const { return place_[i]; }
  int32_t make(int32_t op, int32_t a, int32_t b = -1, int32_t c = -1) { return out_.make(op, a, b, c); }
  int32_t mul(int32_t a, int32_t b) { return make(CANTIK_X_MUL, a, b); }
  int32_t add(int32_t a, int32_t b) { return make(CANTIK_X_ADD, a, b); }
  int32_t sub(int32_t a, int32_t b) { return make(CANTIK_X_SUB, a, b); }
  int32_t div(int32_t a, int32_t b) { return make(CANTIK_X_DIV, a, b); }
  int32_t neg(int32_t a) { return make(CANTIK_X_NEG, a); }
  int32_t square(int32_t a) { return mul(a, a); }
  int32_t number(double v) { return out_.constant(v); }

  void give(int32_t code, int32_t d) {
    int32_t& a = adjoint_[code];
    a = a < 0 ? d : add(a, d);
  }

  // dy flows through code k, whose value is y.
  void spread(const Code& k, int32_t y, int32_t dy) {
    int n = arity(k.op);
    int32_t a = n > 0 ? at(k.a) : -1, b = n > 1 ? at(k.b) : -1, c = n > 2 ? at(k.c) : -1;
    int32_t zero = number(0), one = number(1);
    switch (k.op) {
      case CANTIK_X_ADD: give(k.a, dy), give(k.b, dy); break;
      case CANTIK_X_SUB: give(k.a, dy), give(k.b, neg(dy)); break;
      case CANTIK_X_MUL: give(k.a, mul(dy, b)), give(k.b, mul(dy, a)); break;
      case CANTIK_X_DIV: give(k.a, div(dy, b)), give(k.b, neg(div(mul(dy, y), b))); break;
      case CANTIK_X_MIN:
        give(k.a, make(CANTIK_X_SELECT, make(CANTIK_X_LE, a, b), dy, zero)),
            give(k.b, make(CANTIK_X_SELECT, make(CANTIK_X_LE, a, b), zero, dy));
        break;
      case CANTIK_X_MAX:
        give(k.a, make(CANTIK_X_SELECT, make(CANTIK_X_GE, a, b), dy, zero)),
            give(k.b, make(CANTIK_X_SELECT, make(CANTIK_X_GE, a, b), zero, dy));
        break;
      case CANTIK_X_POW:  // d a^b = b a^(b-1) da + a^b log(a) db, without a term where a is 0
        give(k.a, mul(dy, mul(b, make(CANTIK_X_POW, a, sub(b, one)))));
        give(k.b,
             make(CANTIK_X_SELECT, make(CANTIK_X_GT, a, zero), mul(dy, mul(y, make(CANTIK_X_LOG, a))), zero));
        break;
      case CANTIK_X_LOG_ADD_EXP:
        give(k.a, mul(dy, make(CANTIK_X_SIGMOID, sub(a, b)))),
            give(k.b, mul(dy, make(CANTIK_X_SIGMOID, sub(b, a))));
        break;
      case CANTIK_X_NEG: give(k.a, neg(dy)); break;
      case CANTIK_X_ABS: give(k.a, mul(dy, make(CANTIK_X_SIGN, a))); break;
      case CANTIK_X_SQRT: give(k.a, div(dy, mul(number(2), y))); break;
      case CANTIK_X_EXP: give(k.a, mul(dy, y)); break;
      case CANTIK_X_LOG: give(k.a, div(dy, a)); break;
      case CANTIK_X_SIN: give(k.a, mul(dy, make(CANTIK_X_COS, a))); break;
      case CANTIK_X_COS: give(k.a, neg(mul(dy, make(CANTIK_X_SIN, a)))); break;
      case CANTIK_X_TAN: give(k.a, mul(dy, add(one, square(y)))); break;
      case CANTIK_X_ASIN: give(k.a, div(dy, make(CANTIK_X_SQRT, sub(one, square(a))))); break;
      case CANTIK_X_ACOS: give(k.a, neg(div(dy, make(CANTIK_X_SQRT, sub(one, square(a)))))); break;
      case CANTIK_X_ATAN: give(k.a, div(dy, add(one, square(a)))); break;
      case CANTIK_X_SINH: give(k.a, mul(dy, make(CANTIK_X_COSH, a))); break;
      case CANTIK_X_COSH: give(k.a, mul(dy, make(CANTIK_X_SINH, a))); break;
      case CANTIK_X_TANH: give(k.a, mul(dy, sub(one, square(y)))); break;
      case CANTIK_X_ASINH: give(k.a, div(dy, make(CANTIK_X_SQRT, add(square(a), one)))); break;
      case CANTIK_X_ACOSH: give(k.a, div(dy, make(CANTIK_X_SQRT, sub(square(a), one)))); break;
      case CANTIK_X_ATANH: give(k.a, div(dy, sub(one, square(a)))); break;
      case CANTIK_X_SIGMOID: give(k.a, mul(dy, mul(y, sub(one, y)))); break;
      case CANTIK_X_RECIPROCAL: give(k.a, neg(mul(dy, square(y)))); break;
      case CANTIK_X_SOFTPLUS: give(k.a, mul(dy, make(CANTIK_X_SIGMOID, a))); break;
      case CANTIK_X_ERF:
        give(k.a, mul(mul(dy, number(2 * std::numbers::inv_sqrtpi)), make(CANTIK_X_EXP, neg(square(a)))));
        break;
      case CANTIK_X_SELECT:
        give(k.b, make(CANTIK_X_SELECT, a, dy, zero)), give(k.c, make(CANTIK_X_SELECT, a, zero, dy));
        break;
      case CANTIK_X_FMA: give(k.a, mul(dy, b)), give(k.b, mul(dy, a)), give(k.c, dy); break;
      default: break;  // floor, ceil, sign and comparisons are constant almost everywhere
    }
    (void)c;
  }

  Expression out_;
  int32_t y_, dy_;
  Expression::Places place_, adjoint_;
};

}  // namespace

Expression derivative(const Expression& e, int32_t input, int32_t n) { return Backward(e, n).run(e, input); }

}  // namespace cantik
