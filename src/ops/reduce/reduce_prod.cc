// y = product of x over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;
using reductions::ReducedAxes;

CANTIK_OP(reduce_prod) {
  op.attributes<ReducedAxes>("reduce_prod(x, axis=None, keepdims=True, name='')")
      .doc(
          "The product over some axes: static ones, the batch, or all. Without an axis, over all static "
          "ones.")
      .composite([](Builder& b, const ReducedAxes& a) { reductions::compose(b, a, "Prod"); })
      .cntk_block("ReduceElements")
      .cntk_form(reductions::form_of("Prod"))
      .onnx_write("ReduceProd",
                  [](OnnxGraph& g, const ReducedAxes& a) { reductions::write(g, "ReduceProd", a); })
      .onnx_read("ReduceProd", [](OnnxNode& n) { reductions::read(n, "reduce_prod"); })
      .sample_between(0.4, 2, {{2, 3}})
      .sample_between(0.4, 2, {{2, 3, 4}}, {.axis = {0, 2}})
      .sample_between(0.4, 2, {{2, 3}}, {.axis = {1}, .keepdims = false})
      .sample_between(0.4, 2, {{2, 3}}, {.axis = {axis_code::kBatch}});
}
