// y = max(0, x), with the derivative 0 at 0. What is no number stays so: max takes its second operand where
// none is the larger one.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(relu) {
  op.signature("relu(x, name='')")
      .expression([](Real x) { return max(0, x); })
      .derivative([](Real, Real y, Real dy) { return select(y > 0, dy, 0); })
      .cntk("ReLU", 3)
      .onnx("Relu", 6)
      .sample({{2, 3}})
      .kink(0);
}
