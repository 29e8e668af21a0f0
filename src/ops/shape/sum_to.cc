// The gradient of broadcasting: a value is summed over the axes along which an operand was broadcast.
#include <cantik/op.h>

#include "backends/host/maps.h"

using namespace cantik;

namespace {
struct SumTo {
  Shape shape;
  int64_t axes = 0;  // dynamic axes that stay
  static constexpr auto fields() {
    return list(field("shape", &SumTo::shape, "static shape of the result").role(CANTIK_SHAPE_OF),
                field("axes", &SumTo::axes, "how many dynamic axes stay"));
  }
};
}  // namespace

CANTIK_OP(sum_to) {
  op.attributes<SumTo>("sum_to(x, shape, axes=0)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_SUMS_ROWS | CANTIK_ANY_STRIDE)
      .type([](Infer& in, const SumTo& a) {
        TypeView t = in.like(0, a.shape);
        if (a.axes < t.axes) t.axes = static_cast<int32_t>(a.axes);
        in.set(t);
      })
      .gradient([](Gradient& g, const SumTo&) {
        if (g.wanted(0)) g.dx(0, g.map({g.x(), g.dy()}, [](Real, Real dy) { return dy; }));
      })
      // Over the steps of each sequence first, where the batch stays.
      .finish([](Builder& b, const SumTo& a) {
        if (a.axes != 1 || !b.x().type().has_sequence()) return;
        Term sums = b.call("sum_steps", {b.x()});
        b.result(sums.shape() == a.shape ? sums
                                         : b.call("sum_to", {sums}, {{"shape", a.shape}, {"axes", 1}}));
      })
      .kernel("chunks", [](const Prepare& p, const SumTo&) { return host::make_sum_to(p); });
}
