// x with one more axis, of size 1.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct ExpandDims {
  int64_t axis = 0;
  static constexpr auto fields() {
    return list(
        field("axis", &ExpandDims::axis, "the axis before the new one; a new leading axis is possible too")
            .role(CANTIK_AXIS));
  }
};

// Where the new axis stands.
int64_t behind(int64_t axis, const Shape& x) {
  if (axis == axis_code::kNewLeading) return 0;
  if (!x.is_known()) return axis == -1 ? axis_code::kAllStatic : axis + 1;
  return axis == -x.rank() - 1 ? 0 : static_axis(axis, x.rank()) + 1;
}
}  // namespace

CANTIK_OP(expand_dims) {
  op.attributes<ExpandDims>("expand_dims(x, axis, name='')")
      .doc(
          "The same numbers with one more axis of size 1, behind the axis given: [2, 3] becomes [2, 1, 3] "
          "with axis 0, [2, 3, 1] with axis -1.")
      .composite([](Builder& b, const ExpandDims& a) {
        int64_t at = behind(a.axis, b.x().type().shape);
        Shape one{1};
        b.result(b.call("reshape", {b.x()}, {{"shape", one}, {"begin_axis", at}, {"end_axis", at}}));
      })
      .cntk_block("ExpandDims")
      .sample({{2, 3}}, {.axis = 0});
}
