// y = x on one side of a diagonal, that included, 0 on the other.
#include <vector>

#include "ops/linalg/matrices.h"

using namespace cantik;
using namespace cantik::linalg;

namespace {

struct Triangle {
  bool lower = true;
  int64_t offset = 0;
  static constexpr auto fields() {
    return list(
        field("lower", &Triangle::lower, "what lies below the diagonal stays, else what lies above"),
        field("offset", &Triangle::offset, "which diagonal: 0 is the main one, positive ones lie above it"));
  }
};

template <class T>
struct Keep final : Kernel {
  Stack stack;
  Triangle a;
  Keep(const Shape& s, const Triangle& a) : stack(s), a(a) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      for (int64_t i = 0; i < stack.count * stack.rows; ++i, x += stack.columns, y += stack.columns)
        for (int64_t j = 0; j < stack.columns; ++j) {
          const int64_t diagonal = j - i % stack.rows;
          y[j] = (a.lower ? diagonal <= a.offset : diagonal >= a.offset) ? x[j] : T(0);
        }
    }
  }
};

}  // namespace

CANTIK_OP(linalg_triangle) {
  op.attributes<Triangle>("linalg_triangle(x, lower=True, offset=0, name='')")
      .doc("The lower or upper triangle of each matrix; 0 elsewhere.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in, const Triangle&) { in.set(in.like(0, matrices(in, 0, false))); })
      .gradient([](Gradient& g, const Triangle& a) {
        g.dx(0, g.call("linalg_triangle", {g.dy()}, {{"lower", a.lower}, {"offset", a.offset}}));
      })
      .kernel("keep",
              [](const Prepare& p, const Triangle& a) { return of_type<Keep>(p.dtype(), p.in(0).shape, a); })
      .onnx_write(
          "Trilu",
          [](OnnxGraph& g, const Triangle& a) {
            g.result(g.nodes("Trilu", {g.x(), g.integer(a.offset)}, {{"upper", a.lower ? 0 : 1}}, 1)[0]);
          })
      .onnx_read("Trilu",
                 [](OnnxNode& n) {
                   std::vector<int64_t> axes{-1, -2};
                   Term x = n.with_static(n.x(), axes);
                   const bool lower = n.integer("upper", 1) == 0;
                   const int64_t k = n.has(1) ? n.sizes(1).at(0) : 0;
                   n.result(n.call("linalg_triangle", {x}, {{"lower", lower}, {"offset", k}}));
                 })
      .sample({{3, 3}})
      .sample({{2, 2, 3}}, {.lower = false, .offset = 1})
      .sample({{3, 2}}, {.offset = -1});
}
