// loss = mean of |output - target|.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(mae) {
  op.signature("mae(output, target, name='')")
      .named("arrays", "widest")
      .doc(
          "The mean of |output - target| over all numbers of a sample, the mean absolute error; the operands "
          "broadcast.")
      .composite([](Builder& b) {
        b.result(b.call("reduce_elements", {b.call("abs", {b.x(0) - b.x(1)})},
                        {{"axis", axis_code::kAllStatic}, {"reduction", "Mean"}, {"keepdims", false}}));
      })
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
