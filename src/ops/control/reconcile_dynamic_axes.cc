// x with the dynamic axes of another value.
#include <cantik/op.h>

using namespace cantik;

CANTIK_OP(reconcile_dynamic_axes) {
  op.signature("reconcile_dynamic_axes(x, dynamic_axes_as, name='')")
      .named("arrays", "widest")
      .doc(
          "x with the dynamic axes of dynamic_axes_as: as it is where they are the same; once for each "
          "sample or step where x has fewer; step for step where both are "
          "sequences of the same lengths, or x of one step each.")
      .traits(CANTIK_TAKES_SPARSE)
      .layout_only(1)
      .type([](Infer& in) {
        TypeView x = in.in(0), as = in.in(1), t = in.view(0, x.shape);
        if (x.axes > CANTIK_NO_AXES && as.axes == CANTIK_NO_AXES)
          throw value_failure("the operand has a batch axis, but dynamic_axes_as has none");
        if (x.axes == CANTIK_NO_AXES) t = in.like(0, x.shape);
        t.axes = as.axes;
        t.sequence_axis = as.sequence_axis;
        in.set(t);
      })
      .lower([](Builder& b) {
        TypeView x = b.x(0).type(), as = b.x(1).type();
        // Where both have the same axes, the result still reads both: the run compares batches, and a loop's
        // axis may be made by the second.
        if (x.axes > CANTIK_NO_AXES && x.axes == as.axes && x.sequence_axis == as.sequence_axis)
          b.result(b.call("same_rows", {b.x(0), b.x(1)}));
        else if (x.axes == as.axes && x.axes == CANTIK_NO_AXES)
          b.result(b.x(0));
        else if (!x.has_batch() || (!x.has_sequence() && x.is_dense()))
          b.result(b.call("take_rows", {b.x(0), b.x(1)}));
        else
          b.result(b.call("join_steps", {b.x(0), b.x(1)}));
      })
      .onnx_write(
          "Expand",
          [](OnnxGraph& g) {
            const int from = g.lead(0), to = g.out().axes;
            if (from == to) {
              g.result(g.node("Identity", {g.x(0)}));
              return;
            }
            OnnxValue lead = g.node("Slice", {g.node("Shape", {g.x(1)}), g.integers({0}), g.integers({to})});
            OnnxValue x = from == 0 ? g.inserted(g.x(0), 0, to) : g.x(0);
            std::vector<int64_t> ones(static_cast<size_t>(g.shape(0).rank()), 1);
            g.result(
                g.node("Expand",
                       {x, ones.empty() ? lead : g.node("Concat", {lead, g.integers(ones)}, {{"axis", 0}})}));
          })
      .cntk("ReconcileDynamicAxis", 50)
      .sample({{2, 3}, {2}});

  // The rows of a value that has to have as many as another one: reading both, the run compares them, and
  // makes the other's first.
  op.signature("same_rows(x, like)")
      .traits(CANTIK_HIDDEN | CANTIK_ALIAS | CANTIK_ROW_WISE | CANTIK_TAKES_SPARSE)
      .layout_only(1)
      .type([](Infer& in) { in.set(in.view(0, in.shape(0))); })
      .gradient([](Gradient& g) {
        if (g.wanted(0)) g.dx(0, g.dy());
      });
}
