// The inverse, the determinant, and the sign and logarithm of the determinant, by elimination with row
// exchanges.
#include <algorithm>
#include <cmath>
#include <string>

#include "ops/linalg/matrices.h"

using namespace cantik;
using namespace cantik::linalg;

namespace {

// a becomes its factors, a unit lower and an upper triangle; order[i] is the row that came to place i.
// Returns the sign of the order. A column without a pivot leaves a 0 on the diagonal.
double eliminate(double* a, int64_t n, int64_t* order) {
  double sign = 1;
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  for (int64_t j = 0; j < n; ++j) {
    int64_t best = j;
    for (int64_t i = j + 1; i < n; ++i)
      if (std::fabs(a[i * n + j]) > std::fabs(a[best * n + j])) best = i;
    if (best != j) {
      std::swap_ranges(a + j * n, a + (j + 1) * n, a + best * n);
      std::swap(order[j], order[best]);
      sign = -sign;
    }
    if (a[j * n + j] == 0) continue;
    for (int64_t i = j + 1; i < n; ++i) {
      double factor = a[i * n + j] /= a[j * n + j];
      for (int64_t k = j + 1; k < n; ++k) a[i * n + k] -= factor * a[j * n + k];
    }
  }
  return sign;
}

// From the factors: x solves a x = identity.
void invert(const double* a, int64_t n, const int64_t* order, double* x) {
  std::fill_n(x, n * n, 0.0);
  for (int64_t i = 0; i < n; ++i) x[i * n + order[i]] = 1;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < i; ++k)
      for (int64_t j = 0; j < n; ++j) x[i * n + j] -= a[i * n + k] * x[k * n + j];
  for (int64_t i = n - 1; i >= 0; --i) {
    for (int64_t k = i + 1; k < n; ++k)
      for (int64_t j = 0; j < n; ++j) x[i * n + j] -= a[i * n + k] * x[k * n + j];
    for (int64_t j = 0; j < n; ++j) x[i * n + j] /= a[i * n + i];
  }
}

template <class T>
struct Factors : Kernel {
  Stack stack;
  Factors(const Shape& s, int64_t matrices) : stack(s) {
    scratch_bytes = bytes(matrices * stack.size() + stack.rows);
  }
  double* matrix(const Run& r) const { return r.scratch<double>(); }
  int64_t* order(const Run& r) const {
    return r.scratch<int64_t>() + scratch_bytes / static_cast<int64_t>(sizeof(int64_t)) - stack.rows;
  }
  // f(number of the matrix in its row, the row, sign of the order); its factors are in matrix(r) then.
  template <class F>
  void each(const Run& r, F&& f) const {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t m = 0; m < stack.count; ++m) {
        widen(r.row<T>(0, row) + m * stack.size(), stack.size(), matrix(r));
        f(m, row, eliminate(matrix(r), stack.rows, order(r)));
      }
  }
};

template <class T>
struct Invert final : Factors<T> {
  explicit Invert(const Shape& s) : Factors<T>(s, 2) {}
  void run(const Run& r) const override {
    const Stack& stack = this->stack;
    const double* a = this->matrix(r);
    double* x = this->matrix(r) + stack.size();
    this->each(r, [&](int64_t m, int64_t row, double) {
      for (int64_t i = 0; i < stack.rows; ++i)
        if (a[i * stack.rows + i] == 0)
          throw value_failure("the matrix " + std::to_string(m) + " of row " + std::to_string(row) +
                                  " is singular and has no inverse",
                              "give an invertible matrix, or add a small multiple of the identity");
      invert(a, stack.rows, this->order(r), x);
      narrow(x, stack.size(), r.result<T>(0, row) + m * stack.size());
    });
  }
};

template <class T>
struct Determinant final : Factors<T> {
  explicit Determinant(const Shape& s) : Factors<T>(s, 1) {}
  void run(const Run& r) const override {
    const int64_t n = this->stack.rows;
    this->each(r, [&](int64_t m, int64_t row, double sign) {
      double product = sign;
      for (int64_t i = 0; i < n; ++i) product *= this->matrix(r)[i * n + i];
      r.result<T>(0, row)[m] = static_cast<T>(product);
    });
  }
};

template <class T>
struct SignAndLogarithm final : Factors<T> {
  explicit SignAndLogarithm(const Shape& s) : Factors<T>(s, 1) {}
  void run(const Run& r) const override {
    const int64_t n = this->stack.rows;
    this->each(r, [&](int64_t m, int64_t row, double sign) {
      double log = 0;
      for (int64_t i = 0; i < n; ++i) {
        double pivot = this->matrix(r)[i * n + i];
        log += std::log(std::fabs(pivot));
        sign = pivot < 0 ? -sign : pivot == 0 ? 0 : sign;
      }
      r.result<T>(0, row)[m] = static_cast<T>(sign);
      r.result<T>(1, row)[m] = static_cast<T>(log);
    });
  }
};

// A number for each matrix, spread over it.
Term spread(Builder& b, Term x, const Shape& over) {
  return b.call("reshape", {x}, {{"shape", leading(over) + Shape{1, 1}}});
}

}  // namespace

CANTIK_OP(linalg_inverse) {
  op.signature("linalg_inverse(x, name='')")
      .doc("The inverse of each square matrix. A singular one is an error.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.like(0, matrices(in, 0, true))); })
      .gradient(
          [](Gradient& g) { g.dx(0, -product(g, product(g, g.y(), g.dy(), true), g.y(), false, true)); })
      .kernel("elimination",
              [](const Prepare& p, const NoAttributes&) { return of_type<Invert>(p.dtype(), p.in(0).shape); })
      .sample_between(0.3, 1.9, {{3, 3}})
      .sample_between(0.3, 1.9, {{2, 2, 2}});

  op.signature("linalg_determinant(x, name='')")
      .doc(
          "The determinant of each square matrix. Where it is 0 there is no gradient: the inverse is part of "
          "it.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) {
        Shape s = matrices(in, 0, true);
        in.set(in.like(0, s.is_known() ? leading(s) : s));
      })
      .gradient([](Gradient& g) {
        Shape s = g.x().shape();
        Term factor = spread(g, g.map({g.y(), g.dy()}, [](Real y, Real dy) { return y * dy; }), s);
        g.dx(0, g.call("element_times", {transposed(g, g.call("linalg_inverse", {g.x()})), factor}));
      })
      .kernel("elimination",
              [](const Prepare& p, const NoAttributes&) {
                return of_type<Determinant>(p.dtype(), p.in(0).shape);
              })
      .onnx_write("Det", [](OnnxGraph& g) { g.result(g.node("Det", {g.x()})); })
      .onnx_read("Det",
                 [](OnnxNode& n) {
                   const Term x = n.rank(n.x()) - n.lead(n.x()) < 2 ? n.plain(n.x()) : n.x();
                   n.result(n.call("linalg_determinant", {x}));
                 })
      .sample_between(0.3, 1.9, {{3, 3}})
      .sample_between(0.3, 1.9, {{2, 2, 2}});

  op.signature("linalg_slogdet(x, name='')")
      .doc(
          "Two results: the sign of each square matrix's determinant, -1, 0 or 1, and the logarithm of its "
          "absolute value.")
      .outputs(2)
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) {
        Shape s = matrices(in, 0, true);
        for (int i = 0; i < 2; ++i) in.set(i, in.like(0, s.is_known() ? leading(s) : s));
      })
      .gradient([](Gradient& g) {
        if (!g.dy(1)) return;
        g.dx(0, g.call("element_times", {transposed(g, g.call("linalg_inverse", {g.x()})),
                                         spread(g, g.dy(1), g.x().shape())}));
      })
      .kernel("elimination",
              [](const Prepare& p, const NoAttributes&) {
                return of_type<SignAndLogarithm>(p.dtype(), p.in(0).shape);
              })
      .named("test.gradient", "the sign, its first result, is a constant between singular matrices")
      .sample_between(0.3, 1.9, {{3, 3}});
}
