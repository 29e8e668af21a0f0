// y = 1 / x, and 0 where x is 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(reciprocal) {
  op.signature("reciprocal(x, name='')")
      .doc("1 / x; 0 of 0.")
      .expression([](Real x) { return select(x == 0, 0, reciprocal(x)); })
      .derivative([](Real, Real y, Real dy) { return -(y * y * dy); })
      .cntk("Reciprocal", 9)
      .onnx("Reciprocal", 6)
      .named("onnx.exact", "ieee_reciprocal")
      .sample_between(0.4, 2, {{2, 3}});
}
