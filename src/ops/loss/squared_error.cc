// loss = sum of (output - target)^2.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(squared_error) {
  op.signature("squared_error(output, target, name='')")
      .named("arrays", "widest")
      .doc("The sum of (output - target)^2 over all numbers of a sample; the operands broadcast.")
      .traits(CANTIK_SAME_AXES)
      .composite([](Builder& b) {
        Term d = b.x(0) - b.x(1);
        b.result(b.call("reduce_elements", {d * d},
                        {{"axis", axis_code::kAllStatic}, {"reduction", "Sum"}, {"keepdims", false}}));
      })
      .cntk_block("SquaredError")
      .sample({{2, 3}, {2, 3}})
      .sample({{2, 3}, {3}});
}
