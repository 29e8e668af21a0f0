// 1 where left equals right, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(equal) {
  op.signature("equal(left, right, name='')")
      .named("arrays", "widest")
      .doc("1 where left equals right, else 0; the operands broadcast. The gradient is 0.")
      .expression([](Real x, Real y) { return x == y; })
      .cntk("Equal", 22)
      .onnx_write("Equal", [](OnnxGraph& g) { g.result(g.number(g.node("Equal", g.aligned()))); })
      .onnx_read("Equal",
                 [](OnnxNode& n) {
                   std::vector<Term> x = n.aligned(n.all());
                   n.result(n.call("equal", {x.at(0), x.at(1)}));
                   n.result_type(0, OnnxGraph::kBool);
                 })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
