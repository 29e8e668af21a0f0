// y = scale x where x >= 0, scale alpha (e^x - 1) below: activations keep mean 0 and variance 1.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct Selu {
  Real scale = 1.0507009873554805, alpha = 1.6732632423543772;
  static constexpr auto fields() {
    return list(field("scale", &Selu::scale, "factor of everything").key("gamma"),
                field("alpha", &Selu::alpha, "factor below zero").key("alpha"));
  }
};
}  // namespace

CANTIK_OP(selu) {
  op.attributes<Selu>("selu(x, scale=1.0507009873554805, alpha=1.6732632423543772, name='')")
      .doc("scale * x where x >= 0, scale * alpha * (e^x - 1) below (Klambauer et al. 2017).")
      .expression([](Real x, const Selu& a) {
        return a.scale * select(x < 0, a.alpha * (exp(select(x < 0, x, 0)) - 1), x);
      })
      .composite([](Builder& b, const Selu& a) {
        Term x = b.x(), below = b.call("less", {x, b.constant(0, x)});
        Term y =
            b.call("element_select", {below, b.constant(a.alpha.value(), x) * b.call("elu_one", {x}), x});
        b.result(b.constant(a.scale.value(), x) * y);
      })
      .cntk_block("SELU")
      .onnx("Selu", 6, {{"alpha", "alpha"}, {"gamma", "scale"}})
      .sample({{2, 3}})
      .kink(0);
}
