// 1 where left is not below right, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(greater_equal) {
  op.signature("greater_equal(left, right, name='')")
      .named("arrays", "widest")
      .doc("1 where left is not below right, else 0; the operands broadcast. The gradient is 0.")
      .expression([](Real x, Real y) { return x >= y; })
      .cntk("GreaterEqual", 27)
      .onnx_write("GreaterOrEqual",
                  [](OnnxGraph& g) { g.result(g.number(g.node("GreaterOrEqual", g.aligned()))); })
      .onnx_read("GreaterOrEqual",
                 [](OnnxNode& n) {
                   std::vector<Term> x = n.aligned(n.all());
                   n.result(n.call("greater_equal", {x.at(0), x.at(1)}));
                   n.result_type(0, OnnxGraph::kBool);
                 })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
