// y = sum of |x| over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;

CANTIK_OP(reduce_l1) {
  op.attributes<reductions::ReducedAxes>("reduce_l1(x, axis=None, keepdims=True, name='')")
      .doc("The sum of |x| over some axes.")
      .composite([](Builder& b, const reductions::ReducedAxes& a) {
        b.result(reductions::dropped(b, reductions::reduced(b, b.call("abs", {b.x()}), "reduce_sum", a.axis),
                                     b.x(), a.axis, a.keepdims));
      })
      .cntk_block("ReduceL1")
      .onnx_write("ReduceL1",
                  [](OnnxGraph& g, const reductions::ReducedAxes& a) { reductions::write(g, "ReduceL1", a); })
      .onnx_read("ReduceL1", [](OnnxNode& n) { reductions::read(n, "reduce_l1"); })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false})
      .kink(0);
}
