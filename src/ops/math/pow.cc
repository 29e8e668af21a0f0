// y = base^exponent, element by element; 0 to a negative power is 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(pow) {
  op.signature("pow(base, exponent, name='')")
      .named("arrays", "widest")
      .doc(
          "Element by element; the operands broadcast. 0^0 is 1, 0 to any other power 0; a negative base to "
          "a broken power is NaN.")
      .expression([](Real x, Real e) { return select(x == 0, e == 0, pow(x, e)); })
      .derivative(
          [](Real x, Real e, Real, Real dy) { return dy * e * select(x == 0, e == 1, pow(x, e - 1)); },
          [](Real x, Real, Real y, Real dy) { return select(x > 0, dy * y * log(x), 0); })
      .cntk("Pow", 69)
      .onnx("Pow", 7)
      .named("onnx.exact", "ieee_pow")
      .sample_between(0.4, 2, {{2, 3}, {2, 3}})
      .sample_between(0.4, 2, {{2, 3}, {3}});
}
