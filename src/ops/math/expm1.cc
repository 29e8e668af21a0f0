// e^x - 1 and log(1 + x), exact where x is small; the cube root.
#include <cmath>

#include "ops/math/each_number.h"

using namespace cantik;

namespace {

constexpr auto same = [](Infer& in) { in.set(in.like(0, in.shape(0))); };

struct Expm1 {
  float operator()(float x) const { return std::expm1(x); }
  double operator()(double x) const { return std::expm1(x); }
};
struct Log1p {
  float operator()(float x) const { return std::log1p(x); }
  double operator()(double x) const { return std::log1p(x); }
};
struct CubeRoot {
  float operator()(float x) const { return std::cbrt(x); }
  double operator()(double x) const { return std::cbrt(x); }
};

}  // namespace

CANTIK_OP(expm1) {
  op.signature("expm1(x, name='')")
      .doc("e^x - 1, without loss of digits near 0.")
      .traits(CANTIK_ROW_WISE)
      .type(same)
      .gradient(
          [](Gradient& g) { g.dx(0, g.map({g.y(), g.dy()}, [](Real y, Real dy) { return dy * (y + 1); })); })
      .kernel("each", each_number<Expm1>)
      .sample({{2, 3}});

  op.signature("log1p(x, name='')")
      .doc("log(1 + x), without loss of digits near 0. Minus infinity at -1, NaN below.")
      .traits(CANTIK_ROW_WISE)
      .type(same)
      .gradient(
          [](Gradient& g) { g.dx(0, g.map({g.x(), g.dy()}, [](Real x, Real dy) { return dy / (x + 1); })); })
      .kernel("each", each_number<Log1p>)
      .sample_between(-0.7, 2, {{2, 3}});

  op.signature("cbrt(x, name='')")
      .doc("The cube root, of negative numbers too. Its derivative at 0 is infinite.")
      .traits(CANTIK_ROW_WISE)
      .type(same)
      .gradient([](Gradient& g) {
        g.dx(0, g.map({g.y(), g.dy()}, [](Real y, Real dy) { return dy / (3 * y * y); }));
      })
      .kernel("each", each_number<CubeRoot>)
      .sample_between(0.2, 2, {{2, 3}});
}
