// 1 where left is not below right, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(greater_equal) {
  op.signature("greater_equal(left, right, name='')")
      .named("arrays", "widest")
      .doc("1 where left is not below right, else 0; the operands broadcast. The gradient is 0.")
      .expression([](Real x, Real y) { return x >= y; })
      .cntk("GreaterEqual", 27)
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
