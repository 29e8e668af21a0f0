// x with t x = b, or x t = b, for triangular t. Of t its triangle alone is read.
#include "ops/linalg/matrices.h"

using namespace cantik;
using namespace cantik::linalg;

namespace {

struct Solve {
  bool lower = true, transpose = false, right = false;
  static constexpr auto fields() {
    return list(field("lower", &Solve::lower, "t is its lower triangle, else its upper one"),
                field("transpose", &Solve::transpose, "t is transposed first"),
                field("right", &Solve::right, "x t = b is solved, else t x = b"));
  }
};

template <class T>
struct Substitute final : Kernel {
  Stack t, b;
  Solve a;
  Substitute(const Shape& t, const Shape& b, const Solve& a) : t(t), b(b), a(a) {
    scratch_bytes = bytes(this->b.size());
  }

  void run(const Run& r) const override {
    double* x = r.scratch<double>();
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t m = 0; m < b.count; ++m) {
        widen(r.row<T>(1, row) + m * b.size(), b.size(), x);
        solve(r.row<T>(0, row) + m * t.size(), x);
        narrow(x, b.size(), r.result<T>(0, row) + m * b.size());
      }
  }

 private:
  // From t x = b an unknown is a row of x, from x t = b a column. Unknown i is b_i less its multiples of
  // those that are known, over t_ii.
  void solve(const T* values, double* x) const {
    const int64_t n = t.rows, columns = b.columns;
    const bool forwards = (a.lower != a.transpose) != a.right;  // the first unknown is known first
    for (int64_t step = 0; step < n; ++step) {
      int64_t i = forwards ? step : n - 1 - step;
      for (int64_t done = 0; done < step; ++done) {
        int64_t k = forwards ? done : n - 1 - done;
        bool from_column = a.transpose != a.right;
        double factor = static_cast<double>(from_column ? values[k * n + i] : values[i * n + k]);
        if (a.right)
          for (int64_t line = 0; line < b.rows; ++line)
            x[line * columns + i] -= factor * x[line * columns + k];
        else
          for (int64_t j = 0; j < columns; ++j) x[i * columns + j] -= factor * x[k * columns + j];
      }
      double pivot = static_cast<double>(values[i * n + i]);
      if (a.right)
        for (int64_t line = 0; line < b.rows; ++line) x[line * columns + i] /= pivot;
      else
        for (int64_t j = 0; j < columns; ++j) x[i * columns + j] /= pivot;
    }
  }
};

}  // namespace

CANTIK_OP(linalg_triangular_solve) {
  op.attributes<Solve>("linalg_triangular_solve(t, b, lower=True, transpose=False, right=False, name='')")
      .doc(
          "x with t x = b for each pair of a triangular matrix t, [..., n, n], and a matrix b, [..., n, m]; "
          "with right, x with x t = b, for b [..., m, n].")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in, const Solve& a) {
        Shape t = matrices(in, 0, true), b = matrices(in, 1, false);
        if (t.is_known() && b.is_known()) {
          int64_t n = t[t.rank() - 1], m = b[b.rank() - (a.right ? 1 : 2)];
          if (!(leading(t) == leading(b)) || (n >= 0 && m >= 0 && n != m))
            throw shape_failure("the triangular matrix has the shape " + t.text() +
                                    ", which does not fit the right side's shape " + b.text(),
                                a.right ? "give b as many columns as t" : "give b as many rows as t");
        }
        in.set(in.join(0, 1, b));
      })
      .gradient([](Gradient& g, const Solve& a) {
        // db solves the transposed equations; dt is minus the triangle of db x^T, or of its counterpart.
        Term x = g.y(), t = g.x(0);
        Term db = g.call("linalg_triangular_solve", {t, g.dy()},
                         {{"lower", a.lower}, {"transpose", !a.transpose}, {"right", a.right}});
        if (g.wanted(1)) g.dx(1, db);
        if (!g.wanted(0)) return;
        Term dt = a.right ? (a.transpose ? product(g, db, x, true) : product(g, x, db, true))
                          : (a.transpose ? product(g, x, db, false, true) : product(g, db, x, false, true));
        g.dx(0, g.call("linalg_triangle", {-dt}, {{"lower", a.lower}}));
      })
      .kernel("substitution",
              [](const Prepare& p, const Solve& a) {
                return of_type<Substitute>(p.dtype(), p.in(0).shape, p.in(1).shape, a);
              })
      .sample_between(0.7, 1.6, {{3, 3}, {3, 2}})
      .sample_between(0.7, 1.6, {{2, 2, 2}, {2, 3, 2}}, {.lower = false, .right = true})
      .sample_between(0.7, 1.6, {{3, 3}, {2, 3}}, {.transpose = true, .right = true})
      .sample_between(0.7, 1.6, {{3, 3}, {3, 2}}, {.lower = false, .transpose = true});
}
