// The error function, 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x, and its inverse.
#include <cmath>
#include <limits>

#include "ops/math/each_number.h"

using namespace cantik;

namespace {

constexpr double kTwoOverRootPi = 1.1283791670955126;

// A first guess (Giles 2011, "Approximating the erfinv function"), which is rough near 1, and Halley's steps.
struct ErfInverse {
  double operator()(double y) const {
    if (!(std::fabs(y) < 1))
      return std::fabs(y) == 1 ? std::copysign(std::numeric_limits<double>::infinity(), y)
                               : std::numeric_limits<double>::quiet_NaN();
    double w = -std::log1p(-y * y), x;
    if (w < 5) {
      x = guess(w - 2.5, {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                          -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
    } else {
      x = guess(std::sqrt(w) - 3, {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
                                   0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
    }
    double size = std::fabs(y);
    x *= size;
    for (int step = 0; step < 4; ++step) {
      // erf(x) - |y|, without loss near 1
      double over = size < 0.5 ? std::erf(x) - size : (1 - size) - std::erfc(x);
      double newton = over / (kTwoOverRootPi * std::exp(-x * x));
      x -= newton / (1 + x * newton);
    }
    return std::copysign(x, y);
  }

 private:
  static double guess(double w, std::initializer_list<double> coefficients) {
    double p = 0;
    for (double c : coefficients) p = p * w + c;
    return p;
  }
};

}  // namespace

CANTIK_OP(erf) {
  op.signature("erf(x, name='')")
      .doc("The error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.")
      .expression([](Real x) { return erf(x); })
      .onnx("Erf", 9)
      .onnx_read("Gelu",
                 [](OnnxNode& n) {
                   Term x = n.x();
                   Term half = n.constant(0.5, x), one = n.constant(1, x);
                   if (n.text("approximate", "none") == "tanh") {
                     Term cube = x * x * x;
                     Term inner = n.constant(0.7978845608028654, x) * (x + n.constant(0.044715, x) * cube);
                     n.result(half * x * (one + n.call("tanh", {inner})));
                   } else {
                     n.result(half * x * (one + n.call("erf", {x * n.constant(0.7071067811865476, x)})));
                   }
                 })
      .sample({{2, 3}});

  op.signature("erfinv(x, name='')")
      .doc("The inverse of the error function: y with erf(y) = x. Infinite at -1 and 1, NaN beyond.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .gradient([](Gradient& g) {
        g.dx(0, g.map({g.y(), g.dy()}, [](Real y, Real dy) { return dy / kTwoOverRootPi * exp(y * y); }));
      })
      .kernel("each", each_number<ErfInverse>)
      .sample_between(-0.9, 0.9, {{2, 3}});
}
