// y = sqrt(sum of x^2) over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;

CANTIK_OP(reduce_l2) {
  op.attributes<reductions::ReducedAxes>("reduce_l2(x, axis=None, keepdims=True, name='')")
      .doc("sqrt(sum of x^2) over some axes.")
      .composite([](Builder& b, const reductions::ReducedAxes& a) {
        Term y = b.call("sqrt", {reductions::reduced(b, b.x(), "reduce_sum_square", a.axis)});
        b.result(reductions::dropped(b, y, b.x(), a.axis, a.keepdims));
      })
      .cntk_block("ReduceL2")
      .onnx("ReduceL2", 1)
      .sample({{2, 3}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false});
}
