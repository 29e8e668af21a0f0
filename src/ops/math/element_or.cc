// 1 where one of the operands is above 0, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_or) {
  op.signature("element_or(x, y, name='')")
      .doc("1 where one of the two is above 0, else 0; the operands broadcast.")
      .expression([](Real x, Real y) { return (x > 0) + (y > 0) > 0; })
      .cntk_block("Or")
      .onnx_write("Or",
                  [](OnnxGraph& g) {
                    std::vector<OnnxValue> x = g.aligned();
                    for (OnnxValue& v : x) v = g.node("Greater", {v, g.real(0)});
                    g.result(g.number(g.node("Or", x)));
                  })
      .onnx_read("Or",
                 [](OnnxNode& n) {
                   std::vector<Term> x = n.aligned(n.all());
                   n.result(n.call("element_or", {x.at(0), x.at(1)}));
                   n.result_type(0, OnnxGraph::kBool);
                 })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
