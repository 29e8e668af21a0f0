// y = the whole part of x, with the whole part of the gradient: arithmetic of whole numbers, whose results
// and gradients are cut off alike.
#include <cantik/op.h>
using namespace cantik;

namespace {
Real whole_part(Real x) { return select(x < 0, ceil(x), floor(x)); }
}  // namespace

CANTIK_OP(truncate) {
  op.signature("truncate(x, name='')")
      .doc(
          "What is before the point. The gradient loses what is behind its point too, as that of whole "
          "numbers does.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x) { return whole_part(x); })
      .derivative([](Real, Real, Real dy) { return whole_part(dy); })
      .named("test.gradient", "the gradient of whole numbers is one of whole numbers, by definition")
      .onnx_write("Floor",
                  [](OnnxGraph& g) {
                    OnnxValue whole = g.node("Floor", {g.node("Abs", {g.x()})});
                    g.result(g.node("Mul", {g.node("Sign", {g.x()}), whole}));
                  })
      .sample({{2, 3}});
}
