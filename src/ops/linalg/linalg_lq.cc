// L and Q with x = L Q: L lower triangular, the rows of Q orthonormal. By Householder's reflections of the
// rows (Golub, Van Loan, "Matrix computations", 5.2), with their signs: a diagonal element of L has the sign
// opposite to the element it comes from.
//
// The gradient is that of Seeger et al. 2017, "Auto-differentiating linear algebra": with M = L^T dL - dQ Q^T
// and its lower triangle copied over the upper one, dx = L^-T (dQ + M Q).
#include <algorithm>
#include <cmath>
#include <string>

#include "ops/linalg/matrices.h"

using namespace cantik;
using namespace cantik::linalg;

namespace {

// a [n, m] becomes L, with reflections behind the diagonal of each row; scale[i] belongs to reflection i.
void reflect_rows(double* a, int64_t n, int64_t m, double* scale) {
  for (int64_t i = 0; i < n; ++i) {
    double* row = a + i * m;
    double tail = 0;
    for (int64_t k = i + 1; k < m; ++k) tail += row[k] * row[k];
    scale[i] = 0;
    if (tail == 0) continue;  // nothing to turn
    double head = row[i], length = std::sqrt(head * head + tail), diagonal = head > 0 ? -length : length;
    scale[i] = (diagonal - head) / diagonal;
    for (int64_t k = i + 1; k < m; ++k) row[k] /= head - diagonal;
    for (int64_t j = i + 1; j < n; ++j) {
      double* other = a + j * m;
      double sum = other[i];
      for (int64_t k = i + 1; k < m; ++k) sum += other[k] * row[k];
      sum *= scale[i];
      other[i] -= sum;
      for (int64_t k = i + 1; k < m; ++k) other[k] -= sum * row[k];
    }
    row[i] = diagonal;
  }
}

// The first n rows of the product of the reflections: q [n, m].
void rows_of_reflections(const double* a, int64_t n, int64_t m, const double* scale, double* q) {
  std::fill_n(q, n * m, 0.0);
  for (int64_t i = 0; i < n; ++i) q[i * m + i] = 1;
  for (int64_t i = n - 1; i >= 0; --i) {
    const double* row = a + i * m;
    for (int64_t j = i; j < n; ++j) {
      double sum = q[j * m + i];
      for (int64_t k = i + 1; k < m; ++k) sum += q[j * m + k] * row[k];
      sum *= scale[i];
      q[j * m + i] -= sum;
      for (int64_t k = i + 1; k < m; ++k) q[j * m + k] -= sum * row[k];
    }
  }
}

template <class T>
struct Lq final : Kernel {
  Stack stack;
  explicit Lq(const Shape& s) : stack(s) { scratch_bytes = bytes(2 * stack.size() + stack.rows); }
  void run(const Run& r) const override {
    const int64_t n = stack.rows, m = stack.columns;
    double *a = r.scratch<double>(), *q = a + stack.size(), *scale = q + stack.size();
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t i = 0; i < stack.count; ++i) {
        widen(r.row<T>(0, row) + i * stack.size(), stack.size(), a);
        reflect_rows(a, n, m, scale);
        rows_of_reflections(a, n, m, scale, q);
        T* l = r.result<T>(0, row) + i * n * n;
        for (int64_t j = 0; j < n; ++j)
          for (int64_t k = 0; k < n; ++k) l[j * n + k] = k <= j ? static_cast<T>(a[j * m + k]) : T(0);
        narrow(q, stack.size(), r.result<T>(1, row) + i * stack.size());
      }
  }
};

}  // namespace

CANTIK_OP(linalg_lq) {
  op.signature("linalg_lq(x, name='')")
      .doc(
          "Two results, L and Q, with x = L Q for each matrix [n, m], n <= m: L [n, n] is lower triangular, "
          "the rows of Q [n, m] are orthonormal.")
      .outputs(2)
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) {
        Shape s = matrices(in, 0, false), l = s;
        if (s.is_known()) {
          int64_t n = s[s.rank() - 2], m = s[s.rank() - 1];
          if (n >= 0 && m >= 0 && n > m)
            throw shape_failure("the matrix must not have more rows than columns, and has " +
                                    std::to_string(n) + " rows and " + std::to_string(m) + " columns",
                                "transpose the matrix");
          l = leading(s) + Shape{n, n};
        }
        in.set(0, in.like(0, l));
        in.set(1, in.like(0, s));
      })
      .gradient([](Gradient& g) {
        Term l = g.y(0), q = g.y(1), m, dx;
        if (g.dy(0)) m = product(g, l, g.dy(0), true);
        if (g.dy(1)) {
          Term turned = product(g, g.dy(1), q, false, true);
          m = m ? m - turned : -turned;
        }
        Term symmetric = lower_triangle(g, m) + transposed(g, lower_triangle(g, m, -1));
        dx = product(g, symmetric, q);
        if (g.dy(1)) dx = dx + g.dy(1);
        g.dx(0, g.call("linalg_triangular_solve", {l, dx}, {{"transpose", true}}));
      })
      .kernel("reflections",
              [](const Prepare& p, const NoAttributes&) { return of_type<Lq>(p.dtype(), p.in(0).shape); })
      .sample({{2, 3}})
      .sample({{2, 3, 3}});
}
