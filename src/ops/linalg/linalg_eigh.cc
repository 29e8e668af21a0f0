// U and e with x = U^T diag(e) U for symmetric x: the rows of U are orthonormal eigenvectors, e the
// eigenvalues in rising order. Of x its lower triangle is read. An eigenvector's sign is that which makes its
// largest element, the first of several, positive.
//
// By Jacobi's rotations (Golub, Van Loan, "Matrix computations", 8.5). The gradient is that of Seeger et al.
// 2017, "Auto-differentiating linear algebra": dx = U^T (sym(dU U^T o F) + diag(de)) U with F_ij = 1 / (e_i -
// e_j), and 0 where those are equal.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ops/linalg/matrices.h"

using namespace cantik;
using namespace cantik::linalg;

namespace {

// a becomes diagonal; the rows of u its eigenvectors.
void rotate(double* a, int64_t n, double* u) {
  std::fill_n(u, n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) u[i * n + i] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double beside = 0, all = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) (i == j ? all : beside) += a[i * n + j] * a[i * n + j];
    if (!(beside > 1e-32 * (all + beside))) return;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        double beyond = a[p * n + q];
        if (beyond == 0) continue;
        double turn = (a[q * n + q] - a[p * n + p]) / (2 * beyond);
        double t = (turn < 0 ? -1 : 1) / (std::fabs(turn) + std::sqrt(turn * turn + 1)),
               c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (int64_t k = 0; k < n; ++k) {
          double x = a[k * n + p], y = a[k * n + q];
          a[k * n + p] = c * x - s * y, a[k * n + q] = s * x + c * y;
        }
        for (int64_t k = 0; k < n; ++k) {
          double x = a[p * n + k], y = a[q * n + k];
          a[p * n + k] = c * x - s * y, a[q * n + k] = s * x + c * y;
        }
        for (int64_t k = 0; k < n; ++k) {
          double x = u[p * n + k], y = u[q * n + k];
          u[p * n + k] = c * x - s * y, u[q * n + k] = s * x + c * y;
        }
      }
  }
}

// The largest magnitude; infinite where an element is no number.
double extent(const double* a, int64_t size) {
  double most = 0;
  for (int64_t i = 0; i < size; ++i) most = std::isfinite(a[i]) ? std::max(most, std::fabs(a[i])) : INFINITY;
  return most;
}

template <class T>
struct Eigen final : Kernel {
  Stack stack;
  explicit Eigen(const Shape& s) : stack(s) { scratch_bytes = bytes(2 * stack.size() + stack.rows); }

  void run(const Run& r) const override {
    const int64_t n = stack.rows;
    double* a = r.scratch<double>();
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t m = 0; m < stack.count; ++m) {
        widen(r.row<T>(0, row) + m * stack.size(), stack.size(), a);
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = i + 1; j < n; ++j) a[i * n + j] = a[j * n + i];
        decompose(a, r.result<T>(0, row) + m * n * n, r.result<T>(1, row) + m * n);
      }
  }

 private:
  // Eigenvalues of a matrix with an element that is no number are none either.
  void decompose(double* a, T* vectors, T* values) const {
    const int64_t n = stack.rows;
    const double scale = extent(a, n * n);  // so that no square is too large
    if (std::isinf(scale)) {
      std::fill_n(vectors, n * n, std::numeric_limits<T>::quiet_NaN());
      std::fill_n(values, n, std::numeric_limits<T>::quiet_NaN());
      return;
    }
    if (scale > 0)
      for (int64_t i = 0; i < n * n; ++i) a[i] /= scale;
    double* u = a + n * n;
    rotate(a, n, u);
    int64_t* order = reinterpret_cast<int64_t*>(u + n * n);
    std::iota(order, order + n, int64_t{0});
    std::sort(order, order + n, [&](int64_t i, int64_t j) {
      const double x = a[i * n + i], y = a[j * n + j];
      return x < y || (x == y && i < j);
    });
    for (int64_t i = 0; i < n; ++i) {
      const double* v = u + order[i] * n;
      const double* largest =
          std::max_element(v, v + n, [](double x, double y) { return std::fabs(x) < std::fabs(y); });
      const double sign = *largest < 0 ? -1 : 1;
      for (int64_t j = 0; j < n; ++j) vectors[i * n + j] = static_cast<T>(sign * v[j]);
      values[i] = static_cast<T>(a[order[i] * n + order[i]] * scale);
    }
  }
};

}  // namespace

CANTIK_OP(linalg_eigh) {
  op.signature("linalg_eigh(x, name='')")
      .doc(
          "Two results for each symmetric matrix: eigenvectors, the rows of U, and eigenvalues e in rising "
          "order, with x = U^T diag(e) U.")
      .outputs(2)
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) {
        Shape s = matrices(in, 0, true);
        in.set(0, in.like(0, s));
        in.set(1, in.like(0, s.is_known() ? s.sub(0, s.rank() - 1) : s));
      })
      .gradient([](Gradient& g) {
        Shape s = g.x().shape();
        int64_t n = s[s.rank() - 1];
        Term u = g.y(0), inside;
        if (g.dy(0)) {
          Term down = g.call("reshape", {g.y(1)}, {{"shape", leading(s) + Shape{n, 1}}}),
               across = g.call("reshape", {g.y(1)}, {{"shape", leading(s) + Shape{1, n}}});
          Term turned = g.map({product(g, g.dy(0), u, false, true), down, across},
                              [](Real d, Real e, Real f) { return select(e == f, 0, d / (e - f)); });
          inside = g.map({turned, transposed(g, turned)}, [](Real a, Real b) { return (a + b) * 0.5; });
        }
        if (g.dy(1)) {  // the rows of U by the gradients of their eigenvalues are diag(de) U
          Term scaled = g.call("element_times",
                               {u, g.call("reshape", {g.dy(1)}, {{"shape", leading(s) + Shape{n, 1}}})});
          g.dx(0, inside ? product(g, u, product(g, inside, u) + scaled, true) : product(g, u, scaled, true));
        } else {
          g.dx(0, product(g, u, product(g, inside, u), true));
        }
      })
      .kernel("rotations",
              [](const Prepare& p, const NoAttributes&) { return of_type<Eigen>(p.dtype(), p.in(0).shape); })
      .named("test.gradient", "it is that of a symmetric matrix, whose two halves change together")
      .sample({{3, 3}});
}
