// 1 where both operands are above 0, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_and) {
  op.signature("element_and(x, y, name='')")
      .doc("1 where both are above 0, else 0; the operands broadcast.")
      .expression([](Real x, Real y) { return (x > 0) * (y > 0) > 0; })
      .cntk_block("And")
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
