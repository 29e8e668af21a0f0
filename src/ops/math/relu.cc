// y = max(x, 0), with the derivative 0 at 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(relu) {
  op.signature("relu(x, name='')")
      .expression([](Real x) { return max(x, 0); })
      .derivative([](Real, Real y, Real dy) { return select(y > 0, dy, 0); })
      .cntk("ReLU", 3)
      .onnx("Relu", 6)
      .sample({{2, 3}})
      .kink(0);
}
