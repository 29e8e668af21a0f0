// y = x where x >= 0, alpha (e^x - 1) below.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct Elu {
  Real alpha = 1;
  static constexpr auto fields() {
    return list(field("alpha", &Elu::alpha, "the limit at minus infinity is -alpha").key("alpha"));
  }
};
}  // namespace

CANTIK_OP(elu) {
  op.attributes<Elu>("elu(x, alpha=1.0, name='')")
      .doc("x where x >= 0, alpha * (e^x - 1) below (Clevert et al. 2016).")
      .expression(
          [](Real x, const Elu& a) { return select(x < 0, a.alpha * (exp(select(x < 0, x, 0)) - 1), x); })
      .composite([](Builder& b, const Elu& a) {
        Term x = b.x(), below = b.call("less", {x, b.constant(0, x)});
        b.result(
            b.call("element_select",
                   {below, b.constant(a.alpha.value(), x) * b.call("elu_one", {x}, {{"name", "_ELU"}}), x}));
      })
      .cntk_block("ELU")
      .onnx("Elu", 6, {{"alpha", "alpha"}})
      .onnx_read("Celu",
                 [](OnnxNode& n) {
                   Term x = n.x(), alpha = n.constant(n.real("alpha", 1), x), one = n.constant(1, x);
                   Term below = n.call("element_min", {x, n.constant(0, x)});
                   Term bent = alpha * (n.call("exp", {n.call("element_divide", {below, alpha})}) - one);
                   n.result(n.call("relu", {x}) + bent);
                 })
      .sample({{2, 3}}, {.alpha = 0.7})
      .kink(0);

  // With alpha 1: the primitive of CNTK's files.
  op.signature("elu_one(x, name='')")
      .doc("x where x >= 0, e^x - 1 below.")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x) { return select(x < 0, exp(select(x < 0, x, 0)) - 1, x); })
      .cntk("ELU", 65)
      .sample({{2, 3}})
      .kink(0);
}
