// The larger of two numbers; where they are equal the gradient goes to the right one.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_max) {
  op.signature("element_max(left, right, name='')")
      .named("arrays", "widest")
      .doc("The larger one, element by element; the operands broadcast.")
      .expression([](Real x, Real y) { return select(x > y, x, y); })
      .cntk_block("ElementMax")
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
