// y = sum of x over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;

using SumAttributes = reductions::Named<"Sum">;

CANTIK_OP(reduce_sum) {
  op.attributes<SumAttributes>("reduce_sum(x, axis=None, keepdims=True, name='')")
      .doc("The sum over some axes: static ones, the batch, or all. Without an axis, over all static ones.")
      .composite([](Builder& b, const SumAttributes& a) { reductions::compose(b, a); })
      .cntk_block("ReduceElements")
      .onnx_write("ReduceSum",
                  [](OnnxGraph& g, const SumAttributes& a) { reductions::write(g, "ReduceSum", a); })
      .onnx_read("ReduceSum", [](OnnxNode& n) { reductions::read(n, "reduce_sum"); })
      .sample({{2, 3}})
      .sample({{2, 3, 4}}, {.axis = {0, 2}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false})
      .sample({{2, 3}}, {.axis = {axis_code::kBatch}});
}
