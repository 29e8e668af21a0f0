// y = cos x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(cos) {
  op.signature("cos(x, name='')")
      .doc("y = cos x")
      .expression([](Real x) { return cos(x); })
      .cntk("Cos", 55)
      .onnx("Cos", 7)
      .sample({{2, 3}});
}
