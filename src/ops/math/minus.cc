// y = left - right, element by element.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(minus) {
  op.signature("minus(left, right, name='')")
      .named("arrays", "widest")
      .doc("Element by element; the operands broadcast.")
      .expression([](Real x, Real y) { return x - y; })
      .cntk("Minus", 20)
      .onnx("Sub", 7)
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
