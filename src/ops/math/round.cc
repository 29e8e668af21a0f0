// y = floor(x + 1/2): halves go up. In graphs and files, just that.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(round) {
  op.signature("round(arg, name='')")
      .named("arrays", "widest")
      .doc("floor(x + 1/2): the nearest whole number, halves go up.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b) { b.result(b.call("floor", {b.x() + b.constant(0.5, b.x())})); })
      .onnx_write("Floor",
                  [](OnnxGraph& g) { g.result(g.node("Floor", {g.node("Add", {g.x(), g.real(0.5)})})); })
      .onnx_read("Round",
                 [](OnnxNode& n) {
                   // halves go to the even neighbour
                   Term x = n.x(), half = n.constant(0.5, x), two = n.constant(2, x);
                   Term up = n.call("floor", {x + half});
                   Term tie = n.call("equal", {up - half, x});
                   Term odd = n.call("not_equal",
                                     {n.call("floor", {n.call("element_divide", {up, two})}) * two, up});
                   n.result(up - tie * odd);
                 })
      .sample({{2, 3}});
}
