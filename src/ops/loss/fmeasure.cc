// The F measure: the harmonic mean of precision and recall.
#include <cantik/op.h>
using namespace cantik;

namespace {

struct Measure {
  double beta = 1;
  static constexpr auto fields() {
    return list(field("beta", &Measure::beta, "how many times as much recall counts as precision"));
  }
};

// CNTK's rule: of [channels, height, width] each channel has a measure, of any other shape the whole sample
// has one.
Term total(Builder& b, Term x) {
  std::vector<int64_t> pixels{1, 2}, all{axis_code::kAllStatic};
  Shape shape = x.type().shape;  // not known yet: as CNTK, the whole sample
  return b.call("reduce_sum", {x}, {{"axis", shape.is_known() && shape.rank() == 3 ? pixels : all}});
}

}  // namespace

CANTIK_OP(fmeasure) {
  op.attributes<Measure>("fmeasure(output, target, beta=1, name='')")
      .doc(
          "1 - (1 + beta^2) p r / (beta^2 p + r), with the precision p = sum(output target) / sum(output) "
          "and the recall r = sum(output target) / sum(target). "
          "The sums are over each channel of [channels, height, width], over the whole sample of any other "
          "shape.")
      .traits(CANTIK_SPELLED_OUT | CANTIK_SAME_AXES)
      .composite([](Builder& b, const Measure& a) {
        Term output = b.x(0), target = b.x(1);
        Term both = total(b, output * target);
        Term precision = b.call("element_divide", {both, total(b, output)}),
             recall = b.call("element_divide", {both, total(b, target)});
        double square = a.beta * a.beta;
        Term above = b.constant(1 + square, output) * precision * recall,
             below = b.constant(square, output) * precision + recall;
        b.result(b.constant(1, output) - b.call("element_divide", {above, below}));
      })
      .sample_between(0.1, 1, {{4}, {4}}, {.beta = 2})
      .sample_between(0.1, 1, {{2, 3, 2}, {2, 3, 2}});
}
