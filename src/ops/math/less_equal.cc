// 1 where left is not above right, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(less_equal) {
  op.signature("less_equal(left, right, name='')")
      .named("arrays", "widest")
      .doc("1 where left is not above right, else 0; the operands broadcast. The gradient is 0.")
      .expression([](Real x, Real y) { return x <= y; })
      .cntk("LessEqual", 25)
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
