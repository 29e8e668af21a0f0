// y = min of x over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;

using MinAttributes = reductions::Named<"Min">;

CANTIK_OP(reduce_min) {
  op.attributes<MinAttributes>("reduce_min(x, axis=None, keepdims=True, name='')")
      .doc(
          "The smallest number over some axes: static ones, the batch, or all. Without an axis, over all "
          "static ones.")
      .composite([](Builder& b, const MinAttributes& a) { reductions::compose(b, a); })
      .cntk_block("ReduceElements")
      .onnx_write("ReduceMin",
                  [](OnnxGraph& g, const MinAttributes& a) { reductions::write(g, "ReduceMin", a); })
      .onnx_read("ReduceMin", [](OnnxNode& n) { reductions::read(n, "reduce_min"); })
      .sample({{2, 3}})
      .sample({{2, 3, 4}}, {.axis = {0, 2}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false})
      .sample({{2, 3}}, {.axis = {axis_code::kBatch}});
}
