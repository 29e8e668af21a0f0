// y = x, but not below min_value nor above max_value; min_value where the two cross.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(clip) {
  op.signature("clip(x, min_value, max_value, name='')")
      .doc("max(min_value, min(x, max_value)), element by element. The bounds have no gradient.")
      .expression([](Real x, Real low, Real high) { return max(low, min(x, high)); })
      .derivative([](Real x, Real low, Real high, Real, Real dy) { return select(x >= low, select(x <= high, dy, 0), 0); },
                  [](Real, Real, Real, Real, Real) { return Real(0); }, [](Real, Real, Real, Real, Real) { return Real(0); })
      .cntk("Clip", 41)
      .named("test.operands", "bcc")
      .sample({{2, 3}, {}, {}});
}
