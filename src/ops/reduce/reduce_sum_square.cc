// y = sum of x^2 over some axes.
#include "ops/reduce/axes.h"
using namespace cantik;

CANTIK_OP(reduce_sum_square) {
  op.attributes<reductions::ReducedAxes>("reduce_sum_square(x, axis=None, keepdims=True, name='')")
      .doc("The sum of x^2 over some axes.")
      .composite([](Builder& b, const reductions::ReducedAxes& a) {
        b.result(reductions::dropped(b, reductions::reduced(b, b.x() * b.x(), "reduce_sum", a.axis), b.x(),
                                     a.axis, a.keepdims));
      })
      .cntk_block("ReduceSumSquare")
      .onnx_write(
          "ReduceSumSquare",
          [](OnnxGraph& g, const reductions::ReducedAxes& a) { reductions::write(g, "ReduceSumSquare", a); })
      .onnx_read("ReduceSumSquare", [](OnnxNode& n) { reductions::read(n, "reduce_sum_square"); })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false});
}
