// Products with sparse rows. An operand that is sparse has one row of entries for each row of the run; its
// columns are places in the flattened matrix: entry [i, c] of an [m, k] one is at i k + c.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "backends/host/row_sparse.h"
#include "backends/host/products.h"
#include "backends/cpu/table.h"

namespace cantik::host {

using namespace cpu;

namespace {

template <class T>
T entry(const cantik_operand& o, int64_t i) {
  return o.data ? static_cast<const T*>(o.data)[i] : T(1);
}

// Where the entries of a row are: an operand without a batch has one row for all.
int64_t stored(const cantik_operand& o, int64_t row) { return o.rows == 1 ? 0 : row; }

// a sparse [m, k], b dense [k, n] or, transposed, [n, k].
template <class T>
struct SparseLeft final : Kernel {
  int64_t m, k, n;
  bool transposed;
  SparseLeft(int64_t m, int64_t k, int64_t n, bool transposed) : m(m), k(k), n(n), transposed(transposed) {}
  void run(const Run& r) const override {
    if (m == 1 && !transposed && r.in(1).rows == 1) return sum_lines(r);
    const cantik_operand& a = r.in(0);
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* y = r.result<T>(0, row);
      const T* b = r.row<T>(1, row);
      std::fill_n(y, m * n, T(0));
      for (int64_t i = a.starts[stored(a, row)], end = a.starts[stored(a, row) + 1]; i < end; ++i) {
        int64_t line = m == 1 ? 0 : a.columns[i] / k, column = a.columns[i] - line * k;
        T x = entry<T>(a, i);
        if (!transposed)
          kernels<T>().add_scaled(y + line * n, b + column * n, x, n);
        else
          for (int64_t j = 0; j < n; ++j) y[line * n + j] += x * b[j * k + column];
      }
    }
  }

 private:
  // One line of b for each entry: an embedding. The lines stand far from each other, so those of the entries
  // to come are asked for early.
  void sum_lines(const Run& r) const {
    constexpr int64_t kAhead = 8;
    const cantik_operand& a = r.in(0);
    const T* b = static_cast<const T*>(r.in(1).data);
    const int64_t last = a.starts[stored(a, r.end() - 1) + 1];
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* y = r.result<T>(0, row);
      int64_t i = a.starts[stored(a, row)];
      const int64_t end = a.starts[stored(a, row) + 1];
      if (end == i) std::fill_n(y, n, T(0));
      for (const int64_t begin = i; i < end; ++i) {
        if (i + kAhead < last) prefetch(b + a.columns[i + kAhead] * n);
        const T* line = b + a.columns[i] * n;
        const T x = entry<T>(a, i);
        if (i > begin)
          kernels<T>().add_scaled(y, line, x, n);
        else if (x == 1)
          std::copy_n(line, n, y);
        else
          for (int64_t j = 0; j < n; ++j) y[j] = x * line[j];
      }
    }
  }
  void prefetch(const T* line) const {
    constexpr int64_t kCacheLine = 64 / sizeof(T), kMost = 8 * kCacheLine;
    for (int64_t j = 0; j < std::min(n, kMost); j += kCacheLine) __builtin_prefetch(line + j);
  }
};

// a dense [m, k], b sparse [n, k], transposed: the result is [m, n].
template <class T>
struct SparseRight final : Kernel {
  int64_t m, k, n;
  SparseRight(int64_t m, int64_t k, int64_t n) : m(m), k(k), n(n) {}
  void run(const Run& r) const override {
    const cantik_operand& b = r.in(1);
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      T* y = r.result<T>(0, row);
      const T* a = r.row<T>(0, row);
      std::fill_n(y, m * n, T(0));
      for (int64_t e = b.starts[stored(b, row)], end = b.starts[stored(b, row) + 1]; e < end; ++e) {
        int64_t line = n == 1 ? 0 : b.columns[e] / k, column = b.columns[e] - line * k;
        T x = entry<T>(b, e);
        for (int64_t i = 0; i < m; ++i) y[i * n + line] += x * a[i * k + column];
      }
    }
  }
};

// a sparse [m, k], b dense [m, n]: the result [k, n] gets a row for each entry.
template <class T>
struct SparseRows final : Kernel {
  int64_t m, k, n;
  bool few;  // the result has only the rows that get something
  SparseRows(int64_t m, int64_t k, int64_t n, bool few) : m(m), k(k), n(n), few(few) {
    if (few) scratch_bytes = RowSet::scratch_bytes(k);
  }
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    const cantik_operand& a = r.in(0);
    int64_t first = a.starts[0], last = a.starts[a.rows];
    if (!few) {
      T* y = r.result<T>(0, 0);
      if (!r.accumulate()) std::fill_n(y, k * n, T(0));
      each(r, a, [&](int64_t row) { return y + row * n; });
      return;
    }
    RowSet set(r.scratch<char>(), k);
    for (int64_t i = first; i < last; ++i) set.put(m == 1 ? a.columns[i] : a.columns[i] % k);
    RowSparseOut out(r.out());
    *out.count = set.list(out.rows);
    T* y = static_cast<T*>(out.values);
    std::fill_n(y, *out.count * n, T(0));
    each(r, a, [&](int64_t row) { return y + set.place(row) * n; });
  }
  template <class F>
  void each(const Run& r, const cantik_operand& a, F&& place) const {
    const int64_t rows = std::max(a.rows, r.in(1).rows);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = a.starts[stored(a, row)], end = a.starts[stored(a, row) + 1]; i < end; ++i) {
        int64_t line = m == 1 ? 0 : a.columns[i] / k, column = a.columns[i] - line * k;
        kernels<T>().add_scaled(place(column), r.row<T>(1, row) + line * n, entry<T>(a, i), n);
      }
  }
};

template <class F>
std::unique_ptr<Kernel> sparse_product_by_type(DType dtype, F&& make) {
  if (dtype == DType::float32) return make(float{});
  if (dtype == DType::float64) return make(double{});
  throw declined("sparse products of " + std::string(name_of(dtype)));
}

}  // namespace

std::unique_ptr<Kernel> make_sparse_product(const Prepare& p, int inner, bool transpose_a, bool transpose_b) {
  TypeView a = p.in(0), b = p.in(1);
  if (transpose_a) throw declined("the transpose of sparse rows");
  if (!a.is_dense() && b.is_dense()) {
    int64_t k = a.shape.sub(a.shape.rank() - inner, a.shape.rank()).elements();
    if (k == 0) throw declined("an empty sum");
    int64_t m = a.shape.elements() / k, n = b.shape.elements() / k;
    return sparse_product_by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
      return std::make_unique<SparseLeft<decltype(t)>>(m, k, n, transpose_b);
    });
  }
  if (a.is_dense() && !b.is_dense() && transpose_b) {
    int64_t k = b.shape.sub(b.shape.rank() - inner, b.shape.rank()).elements();
    if (k == 0) throw declined("an empty sum");
    int64_t m = a.shape.elements() / k, n = b.shape.elements() / k;
    return sparse_product_by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
      return std::make_unique<SparseRight<decltype(t)>>(m, k, n);
    });
  }
  throw declined("two sparse operands");
}

std::unique_ptr<Kernel> make_sparse_row_product(const Prepare& p, int inner) {
  TypeView a = p.in(0), b = p.in(1);
  if (a.is_dense() || !b.is_dense()) throw declined("sparse rows on this side");
  int64_t k = a.shape.sub(inner, a.shape.rank()).elements(),
          n = b.shape.sub(inner, b.shape.rank()).elements();
  if (k == 0) throw declined("no rows");
  const int64_t m = a.shape.elements() / k;
  return sparse_product_by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<SparseRows<decltype(t)>>(m, k, n, p.out().storage == CANTIK_ROW_SPARSE);
  });
}

}  // namespace cantik::host
