// x without axes of size 1.
#include <algorithm>

#include <cantik/op.h>
using namespace cantik;

namespace {
struct Squeeze {
  std::vector<int64_t> axes;
  static constexpr auto fields() {
    return list(field("axes", &Squeeze::axes, "the axes to drop; without them, all of size 1")
                    .key("axisVec")
                    .role(CANTIK_AXES));
  }
};
}  // namespace

CANTIK_OP(squeeze) {
  op.attributes<Squeeze>("squeeze(x, axes=None, name='')")
      .doc("The same numbers without axes of size 1: those given, or all of them.")
      .traits(CANTIK_ALIAS | CANTIK_ROW_WISE)
      .type([](Infer& in, const Squeeze& a) {
        Shape x = in.shape(0), left;
        if (!x.is_known()) {
          in.set(in.view(0, Shape::unknown()));
          return;
        }
        std::vector<bool> drop(x.size(), false);
        for (int64_t code : a.axes) {
          int i = static_axis(code, x.rank());
          if (x[i] >= 0 && x[i] != 1)
            throw Failure(
                CANTIK_RUNTIME,
                axis_text(code) + " of " + x.text() + " has the size " + std::to_string(x[i]) + ", not 1",
                "drop axes of size 1 only");
          drop[i] = true;
        }
        for (int i = 0; i < x.rank(); ++i)
          if (!(a.axes.empty() ? x[i] == 1 : drop[i])) left.push_back(x[i]);
        in.set(in.view(0, left));
      })
      .cntk("Squeeze", 88)
      .onnx_write("Squeeze", [](OnnxGraph& g) { g.result(g.reshape(g.x(), g.lead(), g.out().shape)); })
      .onnx_read("Squeeze",
                 [](OnnxNode& n) {
                   std::vector<int64_t> dims = n.dims(n.x()), axes = n.sizes(1, "axes"), left;
                   const int rank = static_cast<int>(dims.size());
                   for (int64_t& a : axes) a = n.axis_of(a, rank);
                   for (int i = 0; i < rank; ++i) {
                     const int64_t d = dims[i];
                     const bool named = std::find(axes.begin(), axes.end(), i) != axes.end();
                     if (named && d >= 0 && d != 1)
                       throw value_failure("an axis of the size " + std::to_string(d) + " cannot go");
                     if (!named && (!axes.empty() || n.has(1) || d != 1)) left.push_back(d);
                   }
                   if (n.known(n.x()) && n.is_whole(n.x()))
                     n.result_numbers(0, left, n.sizes(0));
                   else
                     n.result(n.reshape(n.x(), left));
                 })
      .sample({{1, 3, 1}})
      .sample({{1, 3, 1}}, {.axes = {0}});
}
