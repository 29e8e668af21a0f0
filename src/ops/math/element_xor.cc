// 1 where one of the operands, but not both, is above 0, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_xor) {
  op.signature("element_xor(x, y, name='')")
      .doc("1 where one of the two, but not both, is above 0, else 0; the operands broadcast.")
      .expression([](Real x, Real y) { return (x > 0) != (y > 0); })
      .cntk_block("Xor")
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
