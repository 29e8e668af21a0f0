// y = 1 where x > 0, else -1, with the gradient of x where |x| <= 1 and 0 elsewhere (binary networks).
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(straight_through_impl) {
  op.signature("straight_through_impl(x, name='')")
      .doc(
          "1 where x > 0, else -1. The gradient is that of x where |x| <= 1, else 0 (Courbariaux et al. "
          "2016).")
      .expression([](Real x) { return select(x > 0, 1, -1); })
      .derivative([](Real x, Real, Real dy) { return select(abs(x) <= 1, dy, 0); })
      .cntk("StraightThrough", 94)
      .named("test.gradient", "that of the operand within -1 and 1, by definition")
      .sample({{2, 3}});
}
