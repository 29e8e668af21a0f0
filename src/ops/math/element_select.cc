// y = value_if_true where flag is not 0, value_if_false elsewhere.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_select) {
  op.signature("element_select(flag, value_if_true, value_if_false, name='')")
      .doc(
          "value_if_true where flag is not 0, value_if_false elsewhere; the operands broadcast. The flag has "
          "no gradient.")
      .expression([](Real flag, Real a, Real b) { return select(flag, a, b); })
      .cntk("Select", 42)
      .onnx_write("Where",
                  [](OnnxGraph& g) {
                    std::vector<OnnxValue> x = g.aligned();
                    g.result(g.node("Where", {g.cast(x[0], OnnxGraph::kBool), x[1], x[2]}));
                  })
      .onnx_read("Where",
                 [](OnnxNode& n) {
                   std::vector<Term> x = n.aligned(n.all());
                   n.result(n.call("element_select", {x.at(0), x.at(1), x.at(2)}));
                   n.result_type(0, n.element(n.x(1)));
                 })
      .sample({{2, 3}, {2, 3}, {2, 3}})
      .sample({{3}, {2, 3}, {2, 1}});
}
