// 1 where one of the operands, but not both, is above 0, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_xor) {
  op.signature("element_xor(x, y, name='')")
      .doc("1 where one of the two, but not both, is above 0, else 0; the operands broadcast.")
      .expression([](Real x, Real y) { return (x > 0) != (y > 0); })
      .cntk_block("Xor")
      .onnx_write("Xor",
                  [](OnnxGraph& g) {
                    std::vector<OnnxValue> x = g.aligned();
                    for (OnnxValue& v : x) v = g.node("Greater", {v, g.real(0)});
                    g.result(g.number(g.node("Xor", x)));
                  })
      .onnx_read("Xor",
                 [](OnnxNode& n) {
                   std::vector<Term> x = n.aligned(n.all());
                   n.result(n.call("element_xor", {x.at(0), x.at(1)}));
                   n.result_type(0, OnnxGraph::kBool);
                 })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
