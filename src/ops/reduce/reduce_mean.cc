// y = mean of x over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;

using MeanAttributes = reductions::Named<"Mean">;

CANTIK_OP(reduce_mean) {
  op.attributes<MeanAttributes>("reduce_mean(x, axis=None, keepdims=True, name='')")
      .doc("The mean over some axes: static ones, the batch, or all. Without an axis, over all static ones.")
      .composite([](Builder& b, const MeanAttributes& a) { reductions::compose(b, a); })
      .cntk_block("ReduceElements")
      .onnx_write("ReduceMean",
                  [](OnnxGraph& g, const MeanAttributes& a) { reductions::write(g, "ReduceMean", a); })
      .onnx_read("ReduceMean", [](OnnxNode& n) { reductions::read(n, "reduce_mean"); })
      .sample({{2, 3}})
      .sample({{2, 3, 4}}, {.axis = {0, 2}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false})
      .sample({{2, 3}}, {.axis = {axis_code::kBatch}});
}
