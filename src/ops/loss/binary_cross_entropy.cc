// loss = -(target log(output + 1e-6) + (1 - target) log(1 + 1e-6 - output)), element by element.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(binary_cross_entropy) {
  op.signature("binary_cross_entropy(output, target, name='')")
      .named("arrays", "widest")
      .doc(
          "-(target * log(output) + (1 - target) * log(1 - output)), element by element, with 1e-6 added "
          "under the logarithms. output: probabilities.")
      .traits(CANTIK_SAME_AXES)
      .composite([](Builder& b) {
        constexpr float kSmall = 1e-6f;
        Term p = b.x(0), t = b.x(1);
        Term wrong = b.call("log", {b.constant(1.0f + kSmall, p) - p});
        Term against = (b.constant(1, t) - t) * wrong;
        Term right = b.call("log", {b.constant(kSmall, p) + p});
        b.result(-(t * right + against));
      })
      .cntk_block("BinaryCrossEntropy")
      .sample_between(0.1, 0.9, {{2, 3}, {2, 3}});
}
