// 1 where x is not above 0, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_not) {
  op.signature("element_not(x, name='')")
      .doc("1 where x is not above 0, else 0.")
      .expression([](Real x) { return -(x > 0) + 1; })
      .cntk_block("Not")
      .onnx_write(
          "Not",
          [](OnnxGraph& g) { g.result(g.number(g.node("Not", {g.node("Greater", {g.x(), g.real(0)})}))); })
      .onnx_read("Not",
                 [](OnnxNode& n) {
                   n.result(n.call("element_not", {n.x()}));
                   n.result_type(0, OnnxGraph::kBool);
                 })
      .sample({{2, 3}});
}
