// x with one more axis, of size 1.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct ExpandDims {
  int64_t axis = 0;
  static constexpr auto fields() { return list(field("axis", &ExpandDims::axis, "the axis before the new one; a new leading axis is possible too").role(CANTIK_AXIS)); }
};
}  // namespace

CANTIK_OP(expand_dims) {
  op.attributes<ExpandDims>("expand_dims(x, axis, name='')")
      .doc("The same numbers with one more axis of size 1, behind the axis given: [2, 3] becomes [2, 1, 3] with axis 0, [2, 3, 1] with axis -1.")
      .composite([](Builder& b, const ExpandDims& a) {
        int rank = b.x().shape().rank();
        int64_t at = a.axis == axis_code::kNewLeading || a.axis == -rank - 1 ? 0 : static_axis(a.axis, rank) + 1;
        Shape one{1};
        b.result(b.call("reshape", {b.x()}, {{"shape", one}, {"begin_axis", at}, {"end_axis", at}}));
      })
      .cntk_block("ExpandDims")
      .sample({{2, 3}}, {.axis = 0});
}
