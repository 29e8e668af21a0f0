// x with the dynamic axes of another value.
#include <algorithm>

#include <cantik/op.h>

using namespace cantik;

CANTIK_OP(reconcile_dynamic_axes) {
  op.signature("reconcile_dynamic_axes(x, dynamic_axes_as, name='')")
      .doc("x with the dynamic axes of dynamic_axes_as: as it is where they are the same, once for each sample where x has none.")
      .type([](Infer& in) {
        TypeView x = in.in(0), as = in.in(1), t = in.like(0, x.shape);
        if (x.axes != CANTIK_AXES_UNKNOWN && as.axes != CANTIK_AXES_UNKNOWN) {
          bool sequences = x.has_sequence() || as.has_sequence(), same = x.axes == as.axes && x.sequence_axis == as.sequence_axis;
          if (!same && sequences) throw Failure(CANTIK_UNSUPPORTED, "dynamic axes of sequences cannot be reconciled yet", "see docs/status.md");
          if (as.axes < x.axes) throw value_failure("the operand has a batch axis, dynamic_axes_as has none");
        }
        t.axes = as.axes;
        t.sequence_axis = as.sequence_axis;
        in.set(t);
      })
      .lower([](Builder& b) {
        TypeView x = b.x(0).type(), as = b.x(1).type();
        b.result(x.axes == as.axes ? b.x(0) : b.call("once_a_row", {b.x(0), b.x(1)}));
      })
      .cntk("ReconcileDynamicAxis", 50)
      .sample({{2, 3}, {2}});

  op.signature("once_a_row(x, like)")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in) {
        TypeView t = in.like(0, in.shape(0)), as = in.in(1);
        t.axes = as.axes;
        t.sequence_axis = as.sequence_axis;
        in.set(t);
      })
      .gradient([](Gradient& g) { g.dx(0, g.dy()); })  // summed over the rows by whoever asked
      .kernel("copy", [](auto zero, const Run& r, const NoAttributes&) {
        using T = decltype(zero);
        for (int64_t row = r.begin(); row < r.end(); ++row) std::copy_n(r.row<T>(0, row), r.out().stride, r.result<T>(0, row));
      });
}
