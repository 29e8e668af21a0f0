// y = sum of x over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;
using reductions::ReducedAxes;

CANTIK_OP(reduce_sum) {
  op.attributes<ReducedAxes>("reduce_sum(x, axis=None, keepdims=True, name='')")
      .doc("The sum over some axes: static ones, the batch, or all. Without an axis, over all static ones.")
      .composite([](Builder& b, const ReducedAxes& a) { reductions::compose(b, a, "Sum"); })
      .cntk_block("ReduceElements")
      .cntk_form(reductions::form_of("Sum"))
      .onnx_write("ReduceSum",
                  [](OnnxGraph& g, const ReducedAxes& a) { reductions::write(g, "ReduceSum", a); })
      .onnx_read("ReduceSum", [](OnnxNode& n) { reductions::read(n, "reduce_sum"); })
      .sample({{2, 3}})
      .sample({{2, 3, 4}}, {.axis = {0, 2}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false})
      .sample({{2, 3}}, {.axis = {axis_code::kBatch}});
}
