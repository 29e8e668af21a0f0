// Sparse rows, or few rows, written out.
#include <algorithm>

#include <cantik/op.h>

#include "backends/host/row_sparse.h"

using namespace cantik;

namespace {

template <class T>
struct Entries final : Kernel {
  int64_t elements;
  explicit Entries(int64_t n) : elements(n) {}
  void run(const Run& r) const override {
    const cantik_operand& x = r.in(0);
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* y = r.result<T>(0, row);
      std::fill_n(y, elements, T(0));
      for (int64_t i = x.starts[row]; i < x.starts[row + 1]; ++i)
        y[x.columns[i]] = x.data ? static_cast<const T*>(x.data)[i] : T(1);
    }
  }
};

}  // namespace

CANTIK_OP(to_dense) {
  op.signature("to_dense(x)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_TAKES_SPARSE)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .gradient([](Gradient& g) { g.dx(0, g.dy()); })
      .kernel("row_sparse",
              [](const Prepare& p, const NoAttributes&) {
                if (p.in(0).storage != CANTIK_ROW_SPARSE) throw declined("it has all rows");
                return host::make_row_sparse_to_dense(p);
              })
      .kernel("entries", [](const Prepare& p, const NoAttributes&) -> std::unique_ptr<Kernel> {
        if (p.in(0).storage != CANTIK_CSR) throw declined("it is dense already");
        int64_t n = p.out().shape.elements();
        return of_type<Entries>(p.dtype(), n);
      });

  // a + b, where a gradient has few rows.
  op.signature("add_gradients(a, b)")
      .traits(CANTIK_HIDDEN | CANTIK_TAKES_SPARSE)
      .type([](Infer& in) {
        TypeView a = in.in(0), b = in.in(1), t = in.like(0, a.shape);
        if (a.storage == CANTIK_ROW_SPARSE && b.storage == CANTIK_ROW_SPARSE) t.storage = CANTIK_ROW_SPARSE;
        in.set(t);
      })
      .kernel("rows", [](const Prepare& p, const NoAttributes&) { return host::make_add_gradients(p); });
}
