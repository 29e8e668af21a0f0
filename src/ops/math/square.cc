// y = x * x. In graphs and files, an element_times.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(square) {
  op.signature("square(x, name='')")
      .doc("x * x")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b) { b.result(b.x() * b.x()); })
      .onnx_write("Mul", [](OnnxGraph& g) { g.result(g.node("Mul", {g.x(), g.x()})); })
      .sample({{2, 3}});
}
