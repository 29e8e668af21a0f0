// The larger of two numbers; where they are equal the gradient goes to the right one.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_max) {
  op.signature("element_max(left, right, name='')")
      .named("arrays", "widest")
      .doc("The larger one, element by element; the operands broadcast.")
      .expression([](Real x, Real y) { return select(x > y, x, y); })
      .cntk_block("ElementMax")
      .onnx("Max", 8)
      .named("onnx.exact", "ieee_max")
      .onnx_read("Max",
                 [](OnnxNode& n) {
                   std::vector<Term> x = n.aligned(n.all());
                   Term y = x.at(0);
                   for (size_t i = 1; i < x.size(); ++i) y = n.call("element_max", {y, x[i]});
                   n.result(y);
                 })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
