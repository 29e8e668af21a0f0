// Sparse rows written out.
#include <algorithm>

#include <cantik/op.h>

using namespace cantik;

CANTIK_OP(to_dense) {
  op.signature("to_dense(x)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_TAKES_SPARSE)
      .gradient([](Gradient& g) { if (g.wanted(0)) g.dx(0, g.dy()); })
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .kernel("entries", [](auto zero, const Run& r, const NoAttributes&) {
        using T = decltype(zero);
        const cantik_operand& x = r.in(0);
        for (int64_t row = r.begin(); row < r.end(); ++row) {
          T* y = r.result<T>(0, row);
          if (!x.starts) {
            std::copy_n(r.row<T>(0, row), r.out().stride, y);
            continue;
          }
          std::fill_n(y, r.out().stride, T(0));
          for (int64_t i = x.starts[row]; i < x.starts[row + 1]; ++i) y[x.columns[i]] = x.data ? static_cast<const T*>(x.data)[i] : T(1);
        }
      });
}
