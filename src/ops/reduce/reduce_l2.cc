// y = sqrt(sum of x^2) over some axes.
#include <vector>

#include "ops/reduce/axes.h"
using namespace cantik;

CANTIK_OP(reduce_l2) {
  op.attributes<reductions::ReducedAxes>("reduce_l2(x, axis=None, keepdims=True, name='')")
      .doc("sqrt(sum of x^2) over some axes.")
      .composite([](Builder& b, const reductions::ReducedAxes& a) {
        Term y = b.call("sqrt", {reductions::reduced(b, b.x(), "reduce_sum_square", a.axis)});
        b.result(reductions::dropped(b, y, b.x(), a.axis, a.keepdims));
      })
      .cntk_block("ReduceL2")
      .named("onnx.exact", "ieee_reduce_l2")
      .onnx_write("ReduceL2",
                  [](OnnxGraph& g, const reductions::ReducedAxes& a) { reductions::write(g, "ReduceL2", a); })
      .onnx_read("ReduceL2", [](OnnxNode& n) { reductions::read(n, "reduce_l2"); })
      .onnx_read("LpNormalization",
                 [](OnnxNode& n) {
                   int64_t axis = n.integer("axis", -1);
                   Term x = n.with_static(n.x(), axis);
                   const std::vector<int64_t> axes{axis};
                   const char* norm = n.integer("p", 2) == 1 ? "reduce_l1" : "reduce_l2";
                   const Term size = n.call(norm, {x}, {{"axis", axes}});
                   // zeros stay zeros
                   const Term none = n.call("equal", {size, n.constant(0, size)});
                   n.result(n.call("ieee_divide", {x, size + none}));
                 })
      .onnx_read("GlobalLpPool",
                 [](OnnxNode& n) {
                   Term x = n.rows(n.x());
                   std::vector<int64_t> axes;
                   for (int i = 1; i < n.rank(x) - 1; ++i) axes.push_back(i);
                   const int64_t p = n.integer("p", 2);
                   if (p != 1 && p != 2) {
                     const auto power = static_cast<double>(p);
                     const Term all = n.call("reduce_sum",
                                             {n.call("ieee_pow", {n.call("abs", {x}), n.constant(power, x)})},
                                             {{"axis", axes}});
                     return n.result(n.call("ieee_pow", {all, n.constant(1 / power, x)}));
                   }
                   n.result(n.call(p == 1 ? "reduce_l1" : "reduce_l2", {x}, {{"axis", axes}}));
                 })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.axis = {1}, .keepdims = false});

  op.attributes<reductions::ReducedAxes>("ieee_reduce_l2(x, axis=None, keepdims=True, name='')")
      .doc("The same without CNTK's guard of roots: NaN where one of the numbers is NaN.")
      .traits(CANTIK_HIDDEN)
      .composite([](Builder& b, const reductions::ReducedAxes& a) {
        Term y = b.call("ieee_sqrt", {reductions::reduced(b, b.x(), "reduce_sum_square", a.axis)});
        b.result(reductions::dropped(b, y, b.x(), a.axis, a.keepdims));
      })
      .onnx_write("ReduceL2", [](OnnxGraph& g, const reductions::ReducedAxes& a) {
        reductions::write(g, "ReduceL2", a);
      });
}
