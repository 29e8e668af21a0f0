// y = log(1 + e^(steepness x)) / steepness: a smooth relu.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct Softplus {
  Real steepness = 1;
  static constexpr auto fields() {
    return list(field("steepness", &Softplus::steepness, "the larger, the nearer to relu"));
  }
};
}  // namespace

CANTIK_OP(softplus) {
  op.attributes<Softplus>("softplus(x, steepness=1, name='')")
      .doc("log(1 + e^(steepness * x)) / steepness")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Softplus& a) {
        b.result(a.steepness.value() == 1
                     ? b.call("softplus_one", {b.x()})
                     : b.call("softplus_steep", {b.x()}, {{"steepness", a.steepness.value()}}));
      })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.steepness = 4});

  op.signature("softplus_one(x, name='')")
      .doc("log(1 + e^x)")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x) { return softplus(x); })
      .composite([](Builder& b) { b.result(b.call("log_add_exp", {b.x(), b.constant(0, b.x())})); })
      .cntk_block("Softplus")
      .onnx("Softplus", 1)
      .sample({{2, 3}});

  op.attributes<Softplus>("softplus_steep(x, steepness=1, name='')")
      .doc("log(1 + e^(steepness * x)) / steepness")
      .traits(CANTIK_HIDDEN)
      .expression([](Real x, const Softplus& a) {
        return softplus(a.steepness * x) * select(a.steepness == 0, 0, 1 / a.steepness);
      })
      .composite([](Builder& b, const Softplus& a) {
        Term x = b.x(), steep = b.call("softplus_one", {b.constant(a.steepness.value(), x) * x});
        b.result(b.call("element_divide", {steep, b.constant(a.steepness.value(), x)}));
      })
      .cntk_block("softplus")
      .sample({{2, 3}}, {.steepness = 4});
}
