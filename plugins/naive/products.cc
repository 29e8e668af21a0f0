// Products of matrices. The axes of the operands are taken together: a row is [m, k] and [k, n]. Sparse rows
// have entries in their place: [i, c] of an [m, k] one is at i k + c.
#include <algorithm>
#include <set>
#include <vector>

#include "kernels.h"

using namespace cantik;

namespace naive {
namespace {

struct Product {
  int64_t inner = 1;  // axes that are summed over
  bool transpose_a = false, transpose_b = false, packed = false;
  static constexpr auto fields() {
    return list(field("inner", &Product::inner, "axes summed over"),
                field("transpose_a", &Product::transpose_a, "the first axes of a"),
                field("transpose_b", &Product::transpose_b, "the last axes of b"),
                field("packed", &Product::packed, "b is as the host wants it"));
  }
};
struct RowProduct {
  int64_t inner = 0;
  static constexpr auto fields() { return list(field("inner", &RowProduct::inner, "first axes")); }
};

// The place of the entries of a row; one row of them serves all.
int64_t stored(const cantik_operand& o, int64_t row) { return o.rows == 1 ? 0 : row; }
template <class T>
T entry(const cantik_operand& o, int64_t i) {
  return o.data ? static_cast<const T*>(o.data)[i] : T(1);
}
// f(place in the row, number) for each number of a row that is not 0.
template <class T, class F>
void each(const Run& r, int operand, int64_t row, int64_t elements, F&& f) {
  const cantik_operand& o = r.in(operand);
  if (!o.starts) {
    const T* x = r.row<T>(operand, row);
    for (int64_t i = 0; i < elements; ++i) f(i, x[i]);
    return;
  }
  for (int64_t i = o.starts[stored(o, row)]; i < o.starts[stored(o, row) + 1]; ++i)
    f(o.columns[i], entry<T>(o, i));
}

// y[i, j] = sum over c of a[i, c] b[c, j], in each row for each of `count` pairs of matrices. Sparse rows
// have one pair.
template <class T>
struct EachProduct final : Kernel {
  int64_t m, k, n, count;
  bool transpose_a, transpose_b;
  EachProduct(int64_t m, int64_t k, int64_t n, int64_t count, bool transpose_a, bool transpose_b)
      : m(m), k(k), n(n), count(count), transpose_a(transpose_a), transpose_b(transpose_b) {}
  void run(const Run& r) const override {
    const bool sparse_b = r.in(1).starts != nullptr;
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* y = r.result<T>(0, row);
      std::fill_n(y, count * m * n, T(0));
      if (sparse_b) {  // the rows of b are [n, k]
        const T* a = r.row<T>(0, row);
        each<T>(r, 1, row, n * k, [&](int64_t place, T x) {
          for (int64_t i = 0; i < m; ++i) y[i * n + place / k] += a[i * k + place % k] * x;
        });
        continue;
      }
      each<T>(r, 0, row, count * m * k, [&](int64_t at, T x) {
        const int64_t pair = at / (m * k), place = at % (m * k);
        const int64_t i = transpose_a ? place % m : place / k, c = transpose_a ? place / m : place % k;
        const T* b = r.row<T>(1, row) + pair * k * n;
        for (int64_t j = 0; j < n; ++j)
          y[(pair * m + i) * n + j] += x * (transpose_b ? b[j * k + c] : b[c * n + j]);
      });
    }
  }
};

// y[c, j] = sum over rows and i of a[i, c] b[i, j]. Where the result has few rows, those that get something.
template <class T>
struct SumOfProducts final : Kernel {
  int64_t m, k, n;
  bool few;
  SumOfProducts(int64_t m, int64_t k, int64_t n, bool few) : m(m), k(k), n(n), few(few) {}
  void run(const Run& r) const override {
    std::vector<T> sums(static_cast<size_t>(k * n), T(0));
    std::set<int64_t> touched;
    for (int64_t row = 0; row < std::max(r.in(0).rows, r.in(1).rows); ++row) {
      const T* b = r.row<T>(1, row);
      each<T>(r, 0, row, m * k, [&](int64_t place, T x) {
        touched.insert(place % k);
        for (int64_t j = 0; j < n; ++j)
          sums[static_cast<size_t>(place % k * n + j)] += x * b[place / k * n + j];
      });
    }
    const cantik_operand& y = r.out();
    if (!few) {
      std::copy(sums.begin(), sums.end(), static_cast<T*>(y.data));
      return;
    }
    auto* starts = const_cast<int64_t*>(y.starts);
    starts[0] = 0;
    starts[1] = static_cast<int64_t>(touched.size());
    std::copy(touched.begin(), touched.end(), const_cast<int32_t*>(y.columns));
    T* to = static_cast<T*>(y.data);
    for (const int64_t row : touched) to = std::copy_n(sums.begin() + row * n, n, to);
  }
};

int64_t product_of(const Shape& s, int from, int to) {
  int64_t n = 1;
  for (int i = from; i < to; ++i) n *= s[i];
  return n;
}

constexpr auto product = [](const Prepare& p, const Product& a) {
  if (a.packed) throw declined("packed weights");
  const Shape x = p.in(0).shape, y = p.in(1).shape;
  const bool sparse_a = !p.in(0).is_dense(), sparse_b = !p.in(1).is_dense();
  if ((sparse_a && sparse_b) || (sparse_a && a.transpose_a) ||
      (sparse_b && (a.transpose_a || !a.transpose_b)))
    throw declined("sparse rows on this side");
  const int inner = static_cast<int>(a.inner);
  const int64_t k = a.transpose_a ? product_of(x, 0, inner) : product_of(x, x.rank() - inner, x.rank());
  if (k == 0) throw declined("an empty sum");
  return of_type<EachProduct>(p.dtype(), x.elements() / k, k, y.elements() / k, int64_t{1}, a.transpose_a,
                              a.transpose_b);
};

struct Matmul {
  bool transpose_a = false, transpose_b = false;
  static constexpr auto fields() {
    return list(field("transpose_a", &Matmul::transpose_a, "of a"),
                field("transpose_b", &Matmul::transpose_b, "of b"));
  }
};

// The last two axes are matrices.
constexpr auto matmul = [](const Prepare& p, const Matmul& a) {
  const Shape x = p.in(0).shape, y = p.out().shape;
  const int64_t m = y[y.rank() - 2], n = y[y.rank() - 1], k = x[x.rank() - (a.transpose_a ? 2 : 1)];
  if (m * n == 0) throw declined("empty matrices");
  return of_type<EachProduct>(p.dtype(), m, k, n, y.elements() / (m * n), a.transpose_a, a.transpose_b);
};

}  // namespace

void products(BackendKernels& k) {
  k.add<Product>("product", product);
  k.add<Matmul>("linalg_matmul", matmul);
  k.add<RowProduct>("row_product", [](const Prepare& p, const RowProduct& a) {
    if (!p.in(1).is_dense()) throw declined("sparse rows on this side");
    const Shape x = p.in(0).shape, y = p.in(1).shape;
    const int inner = static_cast<int>(a.inner);
    const int64_t m = product_of(x, 0, inner);
    if (m == 0) throw declined("an empty sum");
    return of_type<SumOfProducts>(p.dtype(), m, x.elements() / m, y.elements() / m,
                                  p.out().storage == CANTIK_ROW_SPARSE);
  });
}

}  // namespace naive
