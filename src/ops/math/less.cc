// 1 where left is below right, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(less) {
  op.signature("less(left, right, name='')")
      .named("arrays", "widest")
      .doc("1 where left is below right, else 0; the operands broadcast. The gradient is 0.")
      .expression([](Real x, Real y) { return x < y; })
      .cntk("Less", 24)
      .onnx_write("Less", [](OnnxGraph& g) { g.result(g.number(g.node("Less", g.aligned()))); })
      .onnx_read("Less",
                 [](OnnxNode& n) {
                   std::vector<Term> x = n.aligned(n.all());
                   n.result(n.call("less", {x.at(0), x.at(1)}));
                   n.result_type(0, OnnxGraph::kBool);
                 })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
