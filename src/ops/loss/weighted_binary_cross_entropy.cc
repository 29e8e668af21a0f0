// loss = -sum of weight log(output target + (1 - output) (1 - target)) / mean of weight, over all samples.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(weighted_binary_cross_entropy) {
  op.signature("weighted_binary_cross_entropy(output, target, weight, name='')")
      .named("arrays", "widest")
      .doc(
          "-weight * log(output * target + (1 - output) * (1 - target)), summed over all numbers of all "
          "samples, over the mean weight: one number. output: probabilities. "
          "As in CNTK, the gradient is that of the sum, not divided by the mean weight; only output has one.")
      .type([](Infer& in) {
        TypeView t = in.broadcast();
        if (t.shape.is_known()) t.shape = Shape();
        t.axes = CANTIK_NO_AXES;
        in.set(t);
      })
      .lower([](Builder& b) {
        auto all = [&](Term t, const char* what) {
          return b.call("reduce_elements", {t},
                        {{"axis", axis_code::kAll}, {"reduction", what}, {"keepdims", false}});
        };
        Term each = b.call("weighted_logistic", {b.x(0), b.x(1), b.x(2)});
        b.result(b.call("over_weight", {all(each, "Sum"), all(b.x(2), "Mean")}));
      })
      .cntk("Logistic", 48)
      .named("test.gradient", "not that of the value, which is divided by the mean weight")
      .sample_between(0.1, 0.9, {{2, 3}, {2, 3}, {2, 3}});

  // What each number adds to the sum. As in CNTK, the logarithm ends at -85.1, the gradient's divisor at
  // 1e-30.
  op.signature("weighted_logistic(output, target, weight)")
      .traits(CANTIK_HIDDEN)
      .expression([](Real p, Real t, Real w) {
        Real right = p * t + (1 - p) * (1 - t);
        return -(w * select(right < 1e-37f, -85.1f, log(right)));
      })
      .derivative([](Real p, Real t, Real w, Real,
                     Real dy) { return dy * w * (1 - (t + t)) / max(p * t + (1 - p) * (1 - t), 1e-30f); },
                  [](Real, Real, Real, Real, Real) { return Real(0); },
                  [](Real, Real, Real, Real, Real) { return Real(0); });

  // The sum over the mean weight, with the gradient of the sum.
  op.signature("over_weight(sum, mean)")
      .traits(CANTIK_HIDDEN)
      .expression([](Real sum, Real mean) { return sum / mean; })
      .derivative([](Real, Real, Real, Real dy) { return dy; },
                  [](Real, Real, Real, Real) { return Real(0); });
}
