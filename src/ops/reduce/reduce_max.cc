// y = max of x over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;

using MaxAttributes = reductions::Named<"Max">;
using MaxOrNan = reductions::Named<"MaxOrNan">;

CANTIK_OP(reduce_max) {
  op.attributes<MaxAttributes>("reduce_max(x, axis=None, keepdims=True, name='')")
      .doc(
          "The largest number over some axes: static ones, the batch, or all. Without an axis, over all "
          "static ones.")
      .composite([](Builder& b, const MaxAttributes& a) { reductions::compose(b, a); })
      .cntk_block("ReduceElements")
      .named("onnx.exact", "ieee_reduce_max")
      .onnx_write("ReduceMax",
                  [](OnnxGraph& g, const MaxAttributes& a) { reductions::write(g, "ReduceMax", a); })
      .onnx_read("ReduceMax", [](OnnxNode& n) { reductions::read(n, "reduce_max"); })
      .sample({{2, 3}})
      .sample({{2, 3, 4}}, {.axis = {0, 2}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false})
      .sample({{2, 3}}, {.axis = {axis_code::kBatch}});

  op.attributes<MaxOrNan>("ieee_reduce_max(x, axis=None, keepdims=True, name='')")
      .doc("The largest number over some axes, NaN where one of them is NaN: ONNX's, without CNTK's order.")
      .traits(CANTIK_HIDDEN)
      .composite([](Builder& b, const MaxOrNan& a) { reductions::compose(b, a); })
      .onnx_write("ReduceMax", [](OnnxGraph& g, const MaxOrNan& a) { reductions::write(g, "ReduceMax", a); })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false});
}
