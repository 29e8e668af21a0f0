// y = tanh x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(tanh) {
  op.signature("tanh(x, name='')")
      .doc("y = tanh x")
      .expression([](Real x) { return tanh(x); })
      .cntk("Tanh", 2)
      .onnx("Tanh", 6)
      .sample({{2, 3}});
}
