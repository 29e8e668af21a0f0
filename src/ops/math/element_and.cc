// 1 where both operands are above 0, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_and) {
  op.signature("element_and(x, y, name='')")
      .doc("1 where both are above 0, else 0; the operands broadcast.")
      .expression([](Real x, Real y) { return (x > 0) * (y > 0) > 0; })
      .cntk_block("And")
      .onnx_write("And",
                  [](OnnxGraph& g) {
                    std::vector<OnnxValue> x = g.aligned();
                    for (OnnxValue& v : x) v = g.node("Greater", {v, g.real(0)});
                    g.result(g.number(g.node("And", x)));
                  })
      .onnx_read("And",
                 [](OnnxNode& n) {
                   std::vector<Term> x = n.aligned(n.all());
                   n.result(n.call("element_and", {x.at(0), x.at(1)}));
                   n.result_type(0, OnnxGraph::kBool);
                 })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
