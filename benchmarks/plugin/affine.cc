// What plugin_op measures: y = 2x + 1, as a formula and with a loop of its own; and a copy of the built-in
// tanh.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(affine) {
  op.signature("bench_affine(x, name='')").expression([](Real x) { return 2 * x + 1; });
  op.signature("bench_affine_loop(x, name='')")
      .traits(CANTIK_ROW_WISE | CANTIK_IN_PLACE)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .gradient([](Gradient& g) { g.dx(0, g.call("bench_affine_gradient", {g.dy()})); })
      .kernel("loop", [](auto zero, const Run& r, const NoAttributes&) {
        using T = decltype(zero);
        const T* x = r.row<T>(0, r.begin());
        T* y = r.result<T>(0, r.begin());
        for (int64_t i = 0; i < (r.end() - r.begin()) * r.out().stride; ++i) y[i] = 2 * x[i] + 1;
      });
  op.signature("bench_affine_gradient(dy)")
      .traits(CANTIK_ROW_WISE | CANTIK_IN_PLACE | CANTIK_HIDDEN)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .kernel("loop", [](auto zero, const Run& r, const NoAttributes&) {
        using T = decltype(zero);
        const T* dy = r.row<T>(0, r.begin());
        T* dx = r.result<T>(0, r.begin());
        for (int64_t i = 0; i < (r.end() - r.begin()) * r.out().stride; ++i) dx[i] = 2 * dy[i];
      });
  op.signature("bench_tanh(x, name='')").expression([](Real x) { return tanh(x); });
}

CANTIK_LIBRARY(affine)
