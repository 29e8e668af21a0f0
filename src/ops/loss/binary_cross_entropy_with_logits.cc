// loss = mean of log(1 + e^score) - target score: binary cross entropy of sigmoid(score).
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(binary_cross_entropy_with_logits) {
  op.signature("binary_cross_entropy_with_logits(scores, target, name='')")
      .named("arrays", "widest")
      .doc(
          "The mean of log(1 + exp(score)) - target * score over all numbers of a sample: binary cross "
          "entropy "
          "of sigmoid(score), exact for scores of any size.")
      .composite([](Builder& b) {
        Term each = b.call("softplus", {b.x(0)}) - b.x(0) * b.x(1);
        b.result(b.call("reduce_elements", {each},
                        {{"axis", axis_code::kAllStatic}, {"reduction", "Mean"}, {"keepdims", false}}));
      })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
