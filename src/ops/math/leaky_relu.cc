// y = x where x >= 0, alpha x below.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct LeakyRelu {
  Real alpha = 0.01;
  static constexpr auto fields() {
    return list(field("alpha", &LeakyRelu::alpha, "slope below zero").key("alpha"));
  }
};
}  // namespace

CANTIK_OP(leaky_relu) {
  op.attributes<LeakyRelu>("leaky_relu(x, alpha=0.01, name='')")
      .doc("x where x >= 0, alpha * x below.")
      .expression([](Real x, const LeakyRelu& a) { return select(x < 0, a.alpha * x, x); })
      .cntk_block("LeakyReLU")
      .onnx("LeakyRelu", 6, {{"alpha", "alpha"}})
      .sample({{2, 3}}, {.alpha = 0.1})
      .kink(0);
}
