// The gamma function, its logarithm, and the derivative of that, digamma.
#include <cmath>
#include <limits>

#include "ops/math/each_number.h"

using namespace cantik;

namespace {

constexpr double kPi = 3.14159265358979323846;

struct Gamma {
  double operator()(double x) const { return std::tgamma(x); }
};

struct LogGamma {
  double operator()(double x) const {
    int sign = 0;
    return ::lgamma_r(x, &sign);  // std::lgamma writes the sign to a variable of all threads
  }
};

// Digamma and its derivative, trigamma: by the recurrence up to 10, then by the asymptotic series; below 0 by
// reflection (Abramowitz, Stegun 6.3.7, 6.3.18, 6.4.7, 6.4.12).
struct Digamma {
  double operator()(double x) const {
    if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
    if (x < 0) {
      if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
      return (*this)(1 - x) - kPi / std::tan(kPi * (x - std::floor(x)));
    }
    double sum = 0;
    for (; x < 10; ++x) sum -= 1 / x;
    double s = 1 / (x * x);
    return sum + std::log(x) - 0.5 / x -
           s * (1.0 / 12 -
                s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132 - s * 691.0 / 32760)))));
  }
};

struct Trigamma {
  double operator()(double x) const {
    if (x <= 0) {
      if (x == std::floor(x)) return std::numeric_limits<double>::infinity();
      double sine = std::sin(kPi * (x - std::floor(x)));
      return kPi * kPi / (sine * sine) - (*this)(1 - x);
    }
    double sum = 0;
    for (; x < 10; ++x) sum += 1 / (x * x);
    double s = 1 / (x * x);
    return sum + 1 / x + s / 2 +
           s / x *
               (1.0 / 6 -
                s * (1.0 / 30 - s * (1.0 / 42 - s * (1.0 / 30 - s * (5.0 / 66 - s * 691.0 / 2730)))));
  }
};

constexpr auto as_operand = [](Infer& in) { in.set(in.like(0, in.shape(0))); };

}  // namespace

CANTIK_OP(gamma) {
  op.signature("gamma(x, name='')")
      .doc("The gamma function: (x - 1)! for whole x.")
      .traits(CANTIK_ROW_WISE)
      .type(as_operand)
      .gradient([](Gradient& g) {
        g.dx(0, g.map({g.y(), g.call("digamma", {g.x()}), g.dy()},
                      [](Real y, Real psi, Real dy) { return dy * y * psi; }));
      })
      .kernel("each", each_number<Gamma>)
      .sample_between(0.4, 3.5, {{2, 3}});

  op.signature("log_gamma(x, name='')")
      .doc("The logarithm of the absolute value of the gamma function.")
      .traits(CANTIK_ROW_WISE)
      .type(as_operand)
      .gradient([](Gradient& g) { g.dx(0, g.call("element_times", {g.call("digamma", {g.x()}), g.dy()})); })
      .kernel("each", each_number<LogGamma>)
      .sample_between(0.4, 3.5, {{2, 3}});

  op.signature("digamma(x, name='')")
      .doc("The derivative of log_gamma.")
      .traits(CANTIK_ROW_WISE)
      .type(as_operand)
      .gradient([](Gradient& g) { g.dx(0, g.call("element_times", {g.call("trigamma", {g.x()}), g.dy()})); })
      .kernel("each", each_number<Digamma>)
      .sample_between(0.4, 3.5, {{2, 3}});

  op.signature("trigamma(x)")
      .doc("The derivative of digamma.")
      .traits(CANTIK_ROW_WISE | CANTIK_HIDDEN)
      .type(as_operand)
      .kernel("each", each_number<Trigamma>);
}
