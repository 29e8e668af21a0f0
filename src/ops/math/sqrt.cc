// y = sqrt(x), and 0 where x is negative.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(sqrt) {
  op.signature("sqrt(x, name='')")
      .doc("Square root; 0 of negative numbers.")
      .expression([](Real x) { return sqrt(max(x, 0)); })
      .derivative([](Real, Real y, Real dy) { return dy / (y + y); })
      .cntk("Sqrt", 6)
      .onnx("Sqrt", 6)
      .named("onnx.exact", "ieee_sqrt")
      .sample_between(0.3, 2, {{2, 3}});
}
