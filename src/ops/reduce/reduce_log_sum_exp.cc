// y = log(sum of e^x) over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;

using Attributes = reductions::Named<"LogSum">;

CANTIK_OP(reduce_log_sum_exp) {
  op.attributes<Attributes>("reduce_log_sum_exp(x, axis=None, keepdims=True, name='')")
      .doc(
          "Log(sum of e^x) over some axes: static ones, the batch, or all. Without an axis, over all static "
          "ones.")
      .composite([](Builder& b, const Attributes& a) { reductions::compose(b, a); })
      .cntk_block("ReduceElements")
      .onnx_write("ReduceLogSumExp",
                  [](OnnxGraph& g, const Attributes& a) { reductions::write(g, "ReduceLogSumExp", a); })
      .onnx_read("ReduceLogSumExp", [](OnnxNode& n) { reductions::read(n, "reduce_log_sum_exp"); })
      .onnx_read("ReduceLogSum", [](OnnxNode& n) { reductions::read(n, "reduce_sum", "log"); })
      .sample({{2, 3}})
      .sample({{2, 3, 4}}, {.axis = {0, 2}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false})
      .sample({{2, 3}}, {.axis = {axis_code::kBatch}});
}
