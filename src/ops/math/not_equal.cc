// 1 where left differs from right, else 0.
#include <limits>

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
      .onnx_read("IsInf",
                 [](OnnxNode& n) {
                   const Term x = n.x(), infinity = n.constant(std::numeric_limits<double>::infinity(), x);
                   const Term none = n.constant(0, x);
                   auto where = [&](const char* asked, Term limit) {
                     const bool wanted = n.integer(asked, 1) != 0;
                     return wanted ? n.call("equal", {x, limit}) : none;
                   };
                   n.result(where("detect_positive", infinity) + where("detect_negative", -infinity));
                   n.result_type(0, OnnxGraph::kBool);
                 })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
