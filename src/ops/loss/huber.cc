// loss = mean of d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2), with d = output - target
// (Huber 1964).
#include <cmath>
#include <string>

#include <cantik/op.h>
using namespace cantik;

namespace {
struct Huber {
  double delta = 1;
  static constexpr auto fields() {
    return list(field("delta", &Huber::delta, "the distance at which the square ends, greater than 0"));
  }
};
}  // namespace

CANTIK_OP(huber) {
  op.attributes<Huber>("huber(output, target, delta=1.0, name='')")
      .named("arrays", "widest")
      .doc(
          "With d = output - target: the mean of d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2), "
          "over all numbers of a sample; the operands broadcast.")
      .composite([](Builder& b, const Huber& a) {
        if (!(a.delta > 0) || std::isinf(a.delta))
          throw Failure(CANTIK_VALUE,
                        "delta must be a number greater than 0, and is " + std::to_string(a.delta));
        // both branches are c (d - c / 2), where c is d between -delta and delta
        Term d = b.x(0) - b.x(1);
        Term c = b.call("clip", {d, b.constant(-a.delta, d), b.constant(a.delta, d)});
        b.result(b.call("reduce_elements", {c * (d - b.constant(0.5, d) * c)},
                        {{"axis", axis_code::kAllStatic}, {"reduction", "Mean"}, {"keepdims", false}}));
      })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}}, {.delta = 0.4});
}
