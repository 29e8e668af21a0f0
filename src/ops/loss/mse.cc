// loss = mean of (output - target)^2.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(mse) {
  op.signature("mse(output, target, name='')")
      .named("arrays", "widest")
      .doc(
          "The mean of (output - target)^2 over all numbers of a sample, the mean squared error; the "
          "operands "
          "broadcast. squared_error is the sum.")
      .composite([](Builder& b) {
        Term d = b.x(0) - b.x(1);
        b.result(b.call("reduce_elements", {d * d},
                        {{"axis", axis_code::kAllStatic}, {"reduction", "Mean"}, {"keepdims", false}}));
      })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
