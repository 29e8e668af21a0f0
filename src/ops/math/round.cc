// y = floor(x + 1/2): halves go up. In graphs and files, just that.
#include <cantik/op.h>

#include "ops/math/half_to_even.h"
using namespace cantik;

CANTIK_OP(round) {
  op.signature("round(arg, name='')")
      .named("arrays", "widest")
      .doc("floor(x + 1/2): the nearest whole number, halves go up.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b) { b.result(b.call("floor", {b.x() + b.constant(0.5, b.x())})); })
      .onnx_write("Floor",
                  [](OnnxGraph& g) { g.result(g.node("Floor", {g.node("Add", {g.x(), g.real(0.5)})})); })
      .onnx_read("Round", [](OnnxNode& n) { n.result(half_to_even(n, n.x())); })
      .sample({{2, 3}});
}
