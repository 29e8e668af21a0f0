// Arithmetic without CNTK's guards, as NumPy and MXNet have it: x / 0 is infinite, the logarithm of a
// negative number is not a number.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(ieee_divide) {
  op.signature("ieee_divide(left, right, name='')")
      .doc("Element by element; the operands broadcast.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x, Real y) { return x / y; })
      .derivative([](Real, Real y, Real, Real dz) { return dz / y; },
                  [](Real, Real y, Real z, Real dz) { return -(z * dz / y); })
      .onnx_write("Div", [](OnnxGraph& g) { g.result(g.node("Div", g.aligned())); })
      .sample_between(0.4, 2, {{2, 3}, {2, 3}})
      .sample_between(0.4, 2, {{2, 3}, {3}});

  op.signature("ieee_reciprocal(x, name='')")
      .doc("1 / x; infinite of 0.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x) { return 1 / x; })
      .derivative([](Real, Real y, Real dy) { return -(y * y * dy); })
      .onnx_write("Reciprocal", [](OnnxGraph& g) { g.result(g.node("Reciprocal", g.aligned())); })
      .sample_between(0.4, 2, {{2, 3}});

  op.signature("ieee_log(x, name='')")
      .doc("Natural logarithm; minus infinity of 0, NaN of negative numbers.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x) { return log(x); })
      .derivative([](Real x, Real, Real dy) { return dy / x; })
      .onnx_write("Log", [](OnnxGraph& g) { g.result(g.node("Log", g.aligned())); })
      .sample_between(0.3, 2, {{2, 3}});

  op.signature("ieee_sqrt(x, name='')")
      .doc("Square root; NaN of negative numbers.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x) { return sqrt(x); })
      .derivative([](Real, Real y, Real dy) { return dy / (y + y); })
      .onnx_write("Sqrt", [](OnnxGraph& g) { g.result(g.node("Sqrt", g.aligned())); })
      .sample_between(0.3, 2, {{2, 3}});

  op.signature("ieee_pow(base, exponent, name='')")
      .doc("Element by element; the operands broadcast. 0 to a negative power is infinite.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x, Real e) { return pow(x, e); })
      .derivative([](Real x, Real e, Real, Real dy) { return dy * e * pow(x, e - 1); },
                  [](Real x, Real, Real y, Real dy) { return select(x > 0, dy * y * log(x), 0); })
      .onnx_write("Pow", [](OnnxGraph& g) { g.result(g.node("Pow", g.aligned())); })
      .sample_between(0.4, 2, {{2, 3}, {2, 3}});

  op.signature("sign(x, name='')")
      .doc("-1, 0 or 1.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x) { return sign(x); })
      .derivative([](Real, Real, Real dy) { return dy * 0; })
      .onnx("Sign", 9)
      .sample({{2, 3}});
}
