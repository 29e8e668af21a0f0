// y = log x. As in CNTK, numbers below 1e-37 have the logarithm -85.1, and a gradient as if they were
// e^-85.1.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(log) {
  op.signature("log(x, name='')")
      .doc("Natural logarithm. Of numbers below 1e-37, negative ones too, it is -85.1.")
      .expression([](Real x) { return select(x < 1e-37f, -85.1f, log(x)); })
      .derivative([](Real x, Real, Real dy) { return dy / select(x < 1e-37f, 1.1003738290472001e-37, x); })
      .cntk("Log", 5)
      .onnx("Log", 6)
      .named("onnx.exact", "ieee_log")
      .onnx_read("Acosh",
                 [](OnnxNode& n) {
                   Term x = n.x(), one = n.constant(1, x);
                   n.result(n.call("log", {x + n.call("sqrt", {x * x - one})}));
                 })
      .sample_between(0.3, 2, {{2, 3}});
}
