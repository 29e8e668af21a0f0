// y = max of x over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;
using reductions::ReducedAxes;

CANTIK_OP(reduce_max) {
  op.attributes<ReducedAxes>("reduce_max(x, axis=None, keepdims=True, name='')")
      .doc(
          "The largest number over some axes: static ones, the batch, or all. Without an axis, over all "
          "static ones.")
      .composite([](Builder& b, const ReducedAxes& a) { reductions::compose(b, a, "Max"); })
      .cntk_block("ReduceElements")
      .cntk_form(reductions::form_of("Max"))
      .named("onnx.exact", "ieee_reduce_max")
      .onnx_write("ReduceMax",
                  [](OnnxGraph& g, const ReducedAxes& a) { reductions::write(g, "ReduceMax", a); })
      .onnx_read("ReduceMax", [](OnnxNode& n) { reductions::read(n, "reduce_max"); })
      .sample({{2, 3}})
      .sample({{2, 3, 4}}, {.axis = {0, 2}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false})
      .sample({{2, 3}}, {.axis = {axis_code::kBatch}});

  op.attributes<ReducedAxes>("ieee_reduce_max(x, axis=None, keepdims=True, name='')")
      .doc("The largest number over some axes, NaN where one of them is NaN: ONNX's, without CNTK's order.")
      .traits(CANTIK_HIDDEN)
      .composite([](Builder& b, const ReducedAxes& a) { reductions::compose(b, a, "MaxOrNan"); })
      .onnx_write("ReduceMax",
                  [](OnnxGraph& g, const ReducedAxes& a) { reductions::write(g, "ReduceMax", a); })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false});
}
