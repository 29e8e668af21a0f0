// y = left / right, element by element; 0 where right is 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_divide) {
  op.signature("element_divide(left, right, name='')")
      .named("arrays", "widest")
      .doc("Element by element; the operands broadcast. A quotient by 0 is 0.")
      .expression([](Real x, Real y) { return x * select(y == 0, 0, reciprocal(y)); })
      .derivative([](Real, Real y, Real, Real dz) { return dz * select(y == 0, 0, reciprocal(y)); },
                  [](Real, Real y, Real z, Real dz) { return -(z * dz * select(y == 0, 0, reciprocal(y))); })
      .composite(
          [](Builder& b) { b.result(b.call("element_times", {b.x(0), b.call("reciprocal", {b.x(1)})})); })
      .cntk_block("ElementDivide")
      .onnx("Div", 7)
      .sample_between(0.4, 2, {{2, 3}, {2, 3}})
      .sample_between(0.4, 2, {{2, 3}, {3}})
      .sample_between(0.4, 2, {{2, 1}, {2, 3}});
}
