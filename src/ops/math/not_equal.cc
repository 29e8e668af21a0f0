// 1 where left differs from right, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(not_equal) {
  op.signature("not_equal(left, right, name='')")
      .named("arrays", "widest")
      .doc("1 where left differs from right, else 0; the operands broadcast. The gradient is 0.")
      .expression([](Real x, Real y) { return x != y; })
      .cntk("NotEqual", 23)
      .onnx_write("Equal",
                  [](OnnxGraph& g) { g.result(g.number(g.node("Not", {g.node("Equal", g.aligned())}))); })
      .onnx_read("IsNaN",
                 [](OnnxNode& n) {
                   n.result(n.call("not_equal", {n.x(), n.x()}));
                   n.result_type(0, OnnxGraph::kBool);
                 })
      .onnx_read(
          "IsInf",
          [](OnnxNode& n) {
            Term x = n.x(), most = n.constant(3.4028234e38, x);
            Term up = n.constant(n.integer("detect_positive", 1) ? 1 : 0, x) * n.call("greater", {x, most});
            Term down = n.constant(n.integer("detect_negative", 1) ? 1 : 0, x) * n.call("less", {x, -most});
            n.result(up + down);
            n.result_type(0, OnnxGraph::kBool);
          })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
