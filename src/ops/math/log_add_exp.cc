// y = log(e^left + e^right), element by element, without overflow.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(log_add_exp) {
  op.signature("log_add_exp(left, right, name='')")
      .named("arrays", "widest")
      .doc("log(e^left + e^right), element by element; the operands broadcast.")
      .expression([](Real x, Real y) { return log_add_exp(x, y); })
      .cntk("LogPlus", 52)
      .onnx_write("Log",
                  [](OnnxGraph& g) {
                    std::vector<OnnxValue> x = g.aligned();
                    OnnxValue distance = g.node("Abs", {g.node("Sub", x)});
                    OnnxValue rest = g.node(
                        "Log", {g.node("Add", {g.node("Exp", {g.node("Neg", {distance})}), g.real(1)})});
                    g.result(g.node("Add", {g.node("Max", x), rest}));
                  })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
