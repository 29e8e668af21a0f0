// The place of the smallest number along an axis, the first of several.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct Axis {
  int64_t axis = axis_code::kAllStatic;
  static constexpr auto fields() { return list(field("axis", &Axis::axis, "a static axis; without one, the place in the flattened row").role(CANTIK_AXIS)); }
};
}  // namespace

CANTIK_OP(argmin) {
  op.attributes<Axis>("argmin(x, axis=None, name='')")
      .doc("The place of the smallest number along an axis, the first of several, as a number of the element type. The axis stays, with the size 1.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Axis& a) {
        TypeView x = b.x().type();
        int64_t axis = axis_code::is_static(a.axis) && x.shape.is_known() ? axis_from_end(a.axis, x.shape.rank()) : a.axis;
        b.result(b.call("reduce_elements", {b.x()}, {{"axis", axis}, {"reduction", "Argmin"}, {"keepdims", a.axis != axis_code::kAllStatic}}));
      })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.axis = 0});
}
