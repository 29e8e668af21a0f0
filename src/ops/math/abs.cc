// y = |x|, with the derivative 0 at 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(abs) {
  op.signature("abs(x, name='')")
      .doc("y = |x|, with the derivative 0 at 0")
      .expression([](Real x) { return abs(x); })
      .cntk("Abs", 8)
      .onnx("Abs", 6)
      .sample({{2, 3}})
      .kink(0);
}
