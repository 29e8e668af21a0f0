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
      .onnx_write("Unsqueeze",
                  [](OnnxGraph& g, const ExpandDims& a) {
                    g.result(g.unsqueeze(g.x(), {g.lead() + behind(a.axis, g.shape())}));
                  })
      .onnx_read("Unsqueeze",
                 [](OnnxNode& n) {
                   std::vector<int64_t> from = n.dims(n.x()), axes = n.sizes(1, "axes"), to;
                   const int rank = static_cast<int>(from.size() + axes.size());
                   for (int64_t& a : axes) a = n.axis_of(a, rank);
                   size_t next = 0;
                   for (int i = 0; i < rank; ++i) {
                     if (std::find(axes.begin(), axes.end(), i) != axes.end())
                       to.push_back(1);
                     else if (next < from.size())
                       to.push_back(from[next++]);
                   }
                   if (next < from.size()) throw value_failure("an axis is named twice");
                   if (n.known(n.x()) && n.is_whole(n.x()))
                     n.result_numbers(0, to, n.sizes(0));
                   else
                     n.result(n.reshape(n.x(), to));
                 })
      .sample({{2, 3}}, {.axis = 0});
}
