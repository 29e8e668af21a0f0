// y = max(0, x), with the derivative 0 at 0. What is no number stays so: max takes its second operand where
// none is the larger one.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(relu) {
  op.signature("relu(x, name='')")
      .expression([](Real x) { return max(0, x); })
      .derivative([](Real, Real y, Real dy) { return select(y > 0, dy, 0); })
      .cntk("ReLU", 3)
      .onnx("Relu", 6)
      .onnx_read("ThresholdedRelu",
                 [](OnnxNode& n) {
                   Term x = n.x();
                   n.result(x * n.call("greater", {x, n.constant(n.real("alpha", 1), x)}));
                 })
      .onnx_read("Shrink",
                 [](OnnxNode& n) {
                   Term x = n.x(), bias = n.constant(n.real("bias", 0), x);
                   const double lambda = n.real("lambd", 0.5);
                   Term above = n.call("greater", {x, n.constant(lambda, x)});
                   Term below = n.call("less", {x, n.constant(-lambda, x)});
                   n.result(above * (x - bias) + below * (x + bias));
                 })
      .sample({{2, 3}})
      .kink(0);
}
