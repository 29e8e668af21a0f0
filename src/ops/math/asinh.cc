// y = arsinh x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(asinh) {
  op.signature("asinh(x, name='')")
      .doc("y = arsinh x")
      .expression([](Real x) { return asinh(x); })
      .cntk("Asinh", 86)
      .onnx("Asinh", 9)
      .sample({{2, 3}});
}
