// y = x where x >= 0, alpha x below; alpha is learnt.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(param_relu) {
  op.signature("param_relu(alpha, x, name='')")
      .named("arrays", "widest")
      .doc("x where x >= 0, alpha * x below; alpha, a parameter as a rule, broadcasts (He et al. 2015).")
      .expression([](Real alpha, Real x) { return select(x < 0, alpha * x, x); })
      .cntk_block("PReLU")
      .cntk_form({.order = {1, 0}})
      .onnx_write("PRelu", [](OnnxGraph& g) { g.result(g.node("PRelu", {g.aligned(1), g.aligned(0)})); })
      .onnx_read("PRelu",
                 [](OnnxNode& n) {
                   std::vector<Term> x = n.aligned(n.all());
                   n.result(n.call("param_relu", {x.at(1), x.at(0)}));
                 })
      .sample({{3}, {2, 3}})
      .kink(0);
}
