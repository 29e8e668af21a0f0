// y = arctan x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(atan) {
  op.signature("atan(x, name='')")
      .doc("y = arctan x")
      .expression([](Real x) { return atan(x); })
      .cntk("Atan", 96)
      .onnx("Atan", 7)
      .sample({{2, 3}});
}
