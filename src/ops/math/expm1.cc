// e^x - 1 and log(1 + x), exact where x is small; the cube root.
#include <cmath>

#include "ops/math/each_number.h"

using namespace cantik;

namespace {

struct CubeRoot {
  float operator()(float x) const { return std::cbrt(x); }
  double operator()(double x) const { return std::cbrt(x); }
};

}  // namespace

CANTIK_OP(expm1) {
  // tanh(x / 2) = (e^x - 1) / (e^x + 1) has all its digits near 0
  op.signature("expm1(x, name='')")
      .doc("e^x - 1, without loss of digits near 0.")
      .expression([](Real x) { return tanh(0.5 * x) * (exp(x) + 1); })
      .derivative([](Real, Real y, Real dy) { return dy * (y + 1); })
      .sample({{2, 3}});

  // what 1 + x loses of x, the logarithm loses by the same factor (Kahan; Goldberg 1991, theorem 4)
  op.signature("log1p(x, name='')")
      .doc("log(1 + x), without loss of digits near 0. Minus infinity at -1, NaN below.")
      .expression([](Real x) {
        Real u = 1 + x;
        return select(u == 1, x, select(u > 1e30, log(u), log(u) * (x / (u - 1))));
      })
      .derivative([](Real x, Real, Real dy) { return dy / (x + 1); })
      .sample_between(-0.7, 2, {{2, 3}});

  op.signature("cbrt(x, name='')")
      .doc("The cube root, of negative numbers too. Its derivative at 0 is infinite.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .gradient([](Gradient& g) {
        g.dx(0, g.map({g.y(), g.dy()}, [](Real y, Real dy) { return dy / (3 * y * y); }));
      })
      .kernel("each", each_number<CubeRoot>)
      .sample_between(0.2, 2, {{2, 3}});
}
