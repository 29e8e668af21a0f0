// y = x / (1 + |x|). CNTK takes a steepness, and makes no use of it; neither do we.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct Softsign {
  Real steepness = 1;
  static constexpr auto fields() { return list(field("steepness", &Softsign::steepness, "not used")); }
};
}  // namespace

CANTIK_OP(softsign) {
  op.attributes<Softsign>("softsign(x, steepness=1, name='')")
      .doc("x / (1 + |x|). As in CNTK, steepness changes nothing.")
      .expression([](Real x, const Softsign&) { return x / (abs(x) + 1); })
      .composite([](Builder& b, const Softsign&) {
        Term x = b.x();
        b.result(b.call("element_divide", {x, b.call("abs", {x}) + b.constant(1, x)}));
      })
      .cntk_block("Softsign")
      .onnx("Softsign", 1)
      .sample({{2, 3}})
      .kink(0);
}
