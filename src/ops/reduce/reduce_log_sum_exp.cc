// y = log(sum of e^x) over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;
using reductions::ReducedAxes;

CANTIK_OP(reduce_log_sum_exp) {
  op.attributes<ReducedAxes>("reduce_log_sum_exp(x, axis=None, keepdims=True, name='')")
      .doc(
          "Log(sum of e^x) over some axes: static ones, the batch, or all. Without an axis, over all static "
          "ones.")
      .composite([](Builder& b, const ReducedAxes& a) { reductions::compose(b, a, "LogSum"); })
      .cntk_block("ReduceElements")
      .cntk_form(reductions::form_of("LogSum"))
      .onnx_write("ReduceLogSumExp",
                  [](OnnxGraph& g, const ReducedAxes& a) { reductions::write(g, "ReduceLogSumExp", a); })
      .onnx_read("ReduceLogSumExp", [](OnnxNode& n) { reductions::read(n, "reduce_log_sum_exp"); })
      .onnx_read("ReduceLogSum", [](OnnxNode& n) { reductions::read(n, "reduce_sum", "log"); })
      .sample({{2, 3}})
      .sample({{2, 3, 4}}, {.axis = {0, 2}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false})
      .sample({{2, 3}}, {.axis = {axis_code::kBatch}});
}
