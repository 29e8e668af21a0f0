// y = sin x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(sin) {
  op.signature("sin(x, name='')")
      .doc("y = sin x")
      .expression([](Real x) { return sin(x); })
      .cntk("Sin", 54)
      .onnx("Sin", 7)
      .sample({{2, 3}});
}
