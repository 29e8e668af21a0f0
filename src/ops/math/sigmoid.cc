// y = 1 / (1 + e^-x).
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(sigmoid) {
  op.signature("sigmoid(x, name='')")
      .doc("y = 1 / (1 + e^-x)")
      .expression([](Real x) { return sigmoid(x); })
      .cntk("StableSigmoid", 75)
      .onnx("Sigmoid", 6)
      .onnx_read("SwiGLU",
                 [](OnnxNode& n) {
                   const Term a = n.x(0);
                   n.result(a * n.call("sigmoid", {a * n.constant(n.real("alpha", 1), a)}) * n.x(1));
                 })
      .onnx_read("Swish",
                 [](OnnxNode& n) {
                   n.result(n.x() * n.call("sigmoid", {n.x() * n.constant(n.real("alpha", 1), n.x())}));
                 })
      .sample({{2, 3}});
}
