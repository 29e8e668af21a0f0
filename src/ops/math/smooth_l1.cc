// A square near 0, an absolute value elsewhere (Girshick 2015): (s x)^2 / 2 where |x| < 1 / s^2, else |x| - 1
// / (2 s^2).
#include <cantik/op.h>
using namespace cantik;

namespace {
struct SmoothL1 {
  Real scalar = 1;
  static constexpr auto fields() {
    return list(field("scalar", &SmoothL1::scalar, "s: the square ends at 1 / s^2"));
  }
};
}  // namespace

CANTIK_OP(smooth_l1) {
  op.attributes<SmoothL1>("smooth_l1(x, scalar=1.0, name='')")
      .doc("(s x)^2 / 2 where |x| < 1 / s^2, else |x| - 1 / (2 s^2): squared near 0, absolute elsewhere.")
      .expression([](Real x, const SmoothL1& a) {
        Real s2 = a.scalar * a.scalar;
        return select(abs(x) < 1 / s2, x * x * s2 * 0.5, abs(x) - 0.5 / s2);
      })
      .derivative([](Real x, Real, Real dy, const SmoothL1& a) {
        Real s2 = a.scalar * a.scalar;
        return select(x >= 1 / s2, 1, select(x <= -(1 / s2), -1, x * s2)) * dy;
      })
      .sample({{2, 3}}, {.scalar = 1.2});
}
