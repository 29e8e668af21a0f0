// y = alpha x + beta, but not below 0 nor above 1.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct HardSigmoid {
  Real alpha = 0.2, beta = 0.5;
  static constexpr auto fields() {
    return list(
        field("alpha", &HardSigmoid::alpha, "slope between the two ends").key("alpha").role(CANTIK_SINGLE),
        field("beta", &HardSigmoid::beta, "the value at 0").key("beta").role(CANTIK_SINGLE));
  }
};
}  // namespace

CANTIK_OP(hard_sigmoid) {
  op.attributes<HardSigmoid>("hard_sigmoid(x, alpha, beta, name='')")
      .doc("max(0, min(1, alpha * x + beta))")
      .expression([](Real x, const HardSigmoid& a) {
        Real line = x * a.alpha + a.beta, below = select(line < 1, line, 1);
        return select(below > 0, below, 0);
      })
      .cntk_block("HardSigmoid")
      .onnx("HardSigmoid", 6, {{"alpha", "alpha"}, {"beta", "beta"}})
      .onnx_read("HardSigmoid",
                 [](OnnxNode& n) {
                   n.result(n.call("hard_sigmoid", {n.x()},
                                   {{"alpha", n.real("alpha", 0.2)}, {"beta", n.real("beta", 0.5)}}));
                 })
      .onnx_read("HardSwish",
                 [](OnnxNode& n) {
                   Term gate = n.call("hard_sigmoid", {n.x()}, {{"alpha", 1.0 / 6}, {"beta", 0.5}});
                   n.result(n.x() * gate);
                 })
      .sample({{2, 3}}, {.alpha = 0.2, .beta = 0.5});
}
