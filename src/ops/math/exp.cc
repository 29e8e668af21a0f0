// y = e^x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(exp) {
  op.signature("exp(x, name='')")
      .doc("y = e^x")
      .expression([](Real x) { return exp(x); })
      .cntk("Exp", 4)
      .onnx("Exp", 6)
      .sample({{2, 3}});
}
