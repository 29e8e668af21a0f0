// y = mean of x over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;
using reductions::ReducedAxes;

CANTIK_OP(reduce_mean) {
  op.attributes<ReducedAxes>("reduce_mean(x, axis=None, keepdims=True, name='')")
      .doc("The mean over some axes: static ones, the batch, or all. Without an axis, over all static ones.")
      .composite([](Builder& b, const ReducedAxes& a) { reductions::compose(b, a, "Mean"); })
      .cntk_block("ReduceElements")
      .cntk_form(reductions::form_of("Mean"))
      .onnx_write("ReduceMean",
                  [](OnnxGraph& g, const ReducedAxes& a) { reductions::write(g, "ReduceMean", a); })
      .onnx_read("ReduceMean", [](OnnxNode& n) { reductions::read(n, "reduce_mean"); })
      .sample({{2, 3}})
      .sample({{2, 3, 4}}, {.axis = {0, 2}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false})
      .sample({{2, 3}}, {.axis = {axis_code::kBatch}});
}
