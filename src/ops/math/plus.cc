// y = left + right, element by element.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(plus) {
  op.signature("plus(left, right, name='')")
      .named("arrays", "widest")
      .doc("Element by element; the operands broadcast.")
      .expression([](Real x, Real y) { return x + y; })
      .cntk("Plus", 19)
      .onnx("Add", 7)
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
