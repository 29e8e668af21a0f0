// y = -x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(negate) {
  op.signature("negate(x, name='')")
      .doc("y = -x")
      .expression([](Real x) { return -x; })
      .cntk("Negate", 0)
      .onnx("Neg", 6)
      .sample({{2, 3}});
}
