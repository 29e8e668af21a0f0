// y = x, without a gradient.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(stop_gradient) {
  op.signature("stop_gradient(input, name='')")
      .named("arrays", "widest")
      .doc("The operand as it is; what stands below it gets no gradient from here.")
      .traits(CANTIK_ALIAS | CANTIK_ROW_WISE | CANTIK_NO_GRADIENT)
      .type([](Infer& in) { in.set(in.in(0)); })
      .cntk("StopGradient", 64)
      .keeps_pixels()
      .named("test.gradient", "zero by definition")
      .onnx_write("Identity", [](OnnxGraph& g) { g.result(g.node("Identity", {g.x()})); })
      .sample({{2, 3}});
}
