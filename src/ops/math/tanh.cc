// y = tanh x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(tanh) {
  op.signature("tanh(x, name='')")
      .doc("y = tanh x")
      .expression([](Real x) { return tanh(x); })
      .cntk("Tanh", 2)
      .onnx("Tanh", 6)
      .onnx_read("Mish", [](OnnxNode& n) { n.result(n.x() * n.call("tanh", {n.call("softplus", {n.x()})})); })
      .sample({{2, 3}});
}
