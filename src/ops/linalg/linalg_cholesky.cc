// L with x = L L^T, for symmetric positive definite x. Of x its lower triangle is read.
//
// The gradient is symmetric (Murray 2016, "Differentiation of the Cholesky decomposition"): with P the lower
// triangle of L^T dL, its diagonal halved, dx is the symmetric part of L^-T P L^-1.
#include <algorithm>
#include <cmath>
#include <string>

#include "ops/linalg/matrices.h"

using namespace cantik;
using namespace cantik::linalg;

namespace {

// a, of which the lower triangle is read, becomes L. Returns the place of the first pivot that is not
// positive, or -1.
int64_t factorize(double* a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (int64_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (i == j) {
        if (sum <= 0) return j;  // NaN goes on
        a[j * n + j] = std::sqrt(sum);
      } else {
        a[i * n + j] = sum / a[j * n + j];
      }
    }
    std::fill_n(a + j * n + j + 1, n - j - 1, 0.0);
  }
  return -1;
}

template <class T>
struct Factorize final : Kernel {
  Stack stack;
  explicit Factorize(const Shape& s) : stack(s) { scratch_bytes = bytes(stack.size()); }
  void run(const Run& r) const override {
    double* a = r.scratch<double>();
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t m = 0; m < stack.count; ++m) {
        widen(r.row<T>(0, row) + m * stack.size(), stack.size(), a);
        if (int64_t j = factorize(a, stack.rows); j >= 0)
          throw value_failure(
              "the matrix " + std::to_string(m) + " of row " + std::to_string(row) +
                  " is not positive definite: the pivot of column " + std::to_string(j) + " is not positive",
              "give a symmetric positive definite matrix, or add a small multiple of the identity");
        narrow(a, stack.size(), r.result<T>(0, row) + m * stack.size());
      }
  }
};

}  // namespace

CANTIK_OP(linalg_cholesky) {
  op.signature("linalg_cholesky(x, name='')")
      .doc(
          "The lower triangular L with x = L L^T for each symmetric positive definite matrix, of which the "
          "lower triangle is read.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.like(0, matrices(in, 0, true))); })
      .gradient([](Gradient& g) {
        Term l = g.y(), p = product(g, l, g.dy(), true);
        Term halved = g.map({lower_triangle(g, p), lower_triangle(g, p, -1)},
                            [](Real a, Real b) { return (a + b) * 0.5; });
        Term left = g.call("linalg_triangular_solve", {l, halved}, {{"transpose", true}});
        Term s = g.call("linalg_triangular_solve", {l, left}, {{"right", true}});
        g.dx(0, g.map({s, transposed(g, s)}, [](Real a, Real b) { return (a + b) * 0.5; }));
      })
      .kernel("columns", [](const Prepare& p,
                            const NoAttributes&) { return of_type<Factorize>(p.dtype(), p.in(0).shape); })
      .named("test.gradient", "it is that of a symmetric matrix, whose two halves change together")
      .sample_between(0.5, 2, {{3, 1, 1}});
}
