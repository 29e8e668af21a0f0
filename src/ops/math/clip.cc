// y = x, but not below min_value nor above max_value. What is no number stays so.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(clip) {
  op.signature("clip(x, min_value, max_value, name='')")
      .named("arrays", "first")
      .doc(
          "min_value where x is smaller, max_value where it is larger, else x, element by element. The "
          "bounds have no gradient.")
      .expression([](Real x, Real low, Real high) { return select(x < low, low, min(high, x)); })
      .derivative([](Real x, Real, Real, Real y, Real dy) { return select(y == x, dy, 0); },
                  [](Real, Real, Real, Real, Real) { return Real(0); },
                  [](Real, Real, Real, Real, Real) { return Real(0); })
      .cntk("Clip", 41)
      .named("test.operands", "bcc")
      .sample({{2, 3}, {}, {}});
}
