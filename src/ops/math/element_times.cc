// y = left * right, element by element.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_times) {
  op.signature("element_times(left, right, name='')")
      .named("arrays", "widest")
      .doc("Element by element; the operands broadcast.")
      .expression([](Real x, Real y) { return x * y; })
      .cntk("ElementTimes", 21)
      .onnx("Mul", 7)
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
