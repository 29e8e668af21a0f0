// Extremes that keep what is not a number, as NumPy and MXNet have them: NaN where an operand is NaN.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(ieee_max) {
  op.signature("ieee_max(left, right, name='')")
      .doc("The larger one, NaN where one is NaN. Where they are equal the gradient goes to the left one.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x, Real y) { return select(x != x, x, select(x > y, x, y)); })
      .derivative([](Real x, Real y, Real, Real dz) { return select(x >= y, dz, 0); },
                  [](Real x, Real y, Real, Real dz) { return select(x < y, dz, 0); })
      .onnx_write("Max", [](OnnxGraph& g) { g.result(g.node("Max", g.aligned())); })
      .sample({{2, 3}, {2, 3}});

  op.signature("ieee_min(left, right, name='')")
      .doc("The smaller one, NaN where one is NaN. Where they are equal the gradient goes to the left one.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x, Real y) { return select(x != x, x, select(x < y, x, y)); })
      .derivative([](Real x, Real y, Real, Real dz) { return select(x <= y, dz, 0); },
                  [](Real x, Real y, Real, Real dz) { return select(x > y, dz, 0); })
      .onnx_write("Min", [](OnnxGraph& g) { g.result(g.node("Min", g.aligned())); })
      .sample({{2, 3}, {2, 3}});

  op.signature("ieee_relu(x, name='')")
      .doc("The larger one of x and 0. NaN where x is NaN, and so is the gradient.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x) { return select(x != x, x, max(x, 0)); })
      .derivative([](Real, Real y, Real dy) { return select(y > 0, dy, select(y != y, y, 0)); })
      .sample({{2, 3}})
      .kink(0);

  op.signature("ieee_clip(x, low, high, name='')")
      .doc(
          "x, not below low nor above high; NaN stays, and lets the gradient through. The bounds have no "
          "gradient.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x, Real low, Real high) { return select(x > high, high, select(x < low, low, x)); })
      .derivative([](Real x, Real low, Real high, Real,
                     Real dy) { return select(x > high, 0, select(x < low, 0, dy)); },
                  [](Real, Real, Real, Real, Real) { return Real(0); },
                  [](Real, Real, Real, Real, Real) { return Real(0); })
      .sample({{2, 3}, {}, {}});
}
