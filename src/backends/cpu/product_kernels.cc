#include "backends/host/products.h"

#include <algorithm>
#include <memory>
#include <string>

#include "backends/cpu/epilogue.h"
#include "backends/cpu/table.h"
#include "graph/types.h"

namespace cantik::host {

using namespace cpu;

namespace {

int64_t product_of(const Shape& s, int from, int to) {
  int64_t n = 1;
  for (int i = from; i < to; ++i) n *= s[i];
  return n;
}

// Calls make<float>() or make<double>().
template <class F>
std::unique_ptr<Kernel> product_by_type(DType dtype, F&& make) {
  if (dtype == DType::float32) return make(float{});
  if (dtype == DType::float64) return make(double{});
  throw declined("products of " + std::string(name_of(dtype)));
}

void want_dense(const Prepare& p) {
  for (int i = 0; i < 2; ++i)
    if (!p.in(i).is_dense()) throw declined("sparse rows");
}

// b: [k, n], or [n, k] where transposed -> panels.
template <class T>
void pack(const T* b, int64_t k, int64_t n, bool transposed, T* panels) {
  kernels<T>().pack_panels(b, {transposed ? 1 : n, transposed ? k : 1, nullptr}, k, n,
                           kernels<T>().paired_panels(n, k), panels);
}

// A unit is a panel of two vectors; what is left of them goes with the last.
template <class T>
struct PackKernel final : Kernel {
  int64_t k, n;
  bool transposed;
  PackKernel(int64_t k, int64_t n, bool transposed) : k(k), n(n), transposed(transposed) {}
  int64_t units(int64_t) const override { return std::max<int64_t>(1, n / unit()); }
  void run(const Run& r) const override {
    int64_t first = r.begin() * unit(), last = r.end() == units(1) ? n : r.end() * unit();
    if (first == 0 && last == n) return pack(r.row<T>(0, 0), k, n, transposed, r.result<T>(0, 0));
    kernels<T>().pack_panels(r.row<T>(0, 0) + first * (transposed ? k : 1),
                             {transposed ? 1 : n, transposed ? k : 1, nullptr}, k, last - first, false,
                             r.result<T>(0, 0) + first * k);
  }
  static int64_t unit() { return 2 * kernels<T>().width; }
};

// a: [m, k] of each row; the product's lines are all m of all rows. Work is shared out by lines, or by
// columns where there are few lines: no sum is cut either way.
template <class T>
class PackedProductKernel final : public Kernel {
 public:
  PackedProductKernel(const Prepare& p, int inner)
      : m_(product_of(p.in(0).shape, 0, p.in(0).shape.rank() - inner)),
        k_(product_of(p.in(0).shape, p.in(0).shape.rank() - inner, p.in(0).shape.rank())),
        n_(product_of(p.out().shape, p.in(0).shape.rank() - inner, p.out().shape.rank())),
        epilogue_(p, m_, n_) {
    epilogue_bytes_ = (epilogue_.scratch_bytes() + 63) / 64 * 64;
    state_bytes = epilogue_.state_bytes();
    scratch_bytes = epilogue_bytes_ + kernels<T>().product_scratch(k_, n_) * static_cast<int64_t>(sizeof(T));
    wide_ = n_ >= 2 * columns_of_unit() && (!epilogue_ || epilogue_.on_tiles());
  }

  int64_t units(int64_t rows) const override {
    if (epilogue_ && !epilogue_.on_lines()) return rows;
    return by_columns(rows) ? n_ / columns_of_unit() : (rows * m_ + kLines - 1) / kLines;
  }

  void run(const Run& r) const override {
    int64_t lines = r.rows() * m_;
    if (epilogue_ && !epilogue_.on_lines()) {
      for (int64_t row = r.begin(); row < r.end(); ++row) {
        multiply(r, row * m_, (row + 1) * m_, 0, n_);
        epilogue_.apply(r, row * m_, (row + 1) * m_);
      }
    } else if (by_columns(r.rows()) && (!epilogue_ || on_tiles(r))) {
      int64_t all = n_ / columns_of_unit();
      multiply(r, 0, lines, r.begin() * columns_of_unit(), r.end() == all ? n_ : r.end() * columns_of_unit());
    } else {
      // Where columns were to be shared out and cannot be, because the epilogue's operands are columns
      // themselves, one thread has all of them.
      bool all = by_columns(r.rows());
      int64_t begin = all ? 0 : r.begin() * kLines, end = all ? lines : std::min(lines, r.end() * kLines);
      if (!epilogue_ || on_tiles(r)) return multiply(r, begin, end, 0, n_);
      for (int64_t line = begin; line < end; line += kNear) {
        int64_t last = std::min(end, line + kNear);
        multiply(r, line, last, 0, n_);
        epilogue_.apply(r, line, last);
      }
    }
  }

 private:
  static constexpr int64_t kLines = 12, kFewLines = 48;
  // lines whose results stay in the first or second cache for the epilogue
  static constexpr int64_t kNear = 48;

  static int64_t columns_of_unit() { return 8 * kernels<T>().width; }  // whole panels
  bool on_tiles(const Run& r) const { return epilogue_.on_tiles() && epilogue_.is_dense(r); }
  bool by_columns(int64_t rows) const { return wide_ && rows * m_ < kFewLines; }

  void multiply(const Run& r, int64_t begin, int64_t end, int64_t first, int64_t last) const {
    Product<T> q;
    Finish<T> finish;
    if (on_tiles(r)) {
      finish = epilogue_.finish(r);
      if (finish.center) finish.center += first;
      if (finish.scale) finish.scale += first;
      if (finish.shift) finish.shift += first;
      q.finish = &finish;
    }
    q.panels = static_cast<const T*>(r.in(1).data) + first * k_;
    q.k = k_;
    q.n = last - first;
    q.c_stride = n_;
    q.scratch =
        scratch_bytes > epilogue_bytes_ ? reinterpret_cast<T*>(r.scratch<char>() + epilogue_bytes_) : nullptr;
    for (int64_t line = begin; line < end; line += q.rows) {
      q.rows = end - line;
      if (r.in(0).stride == 0 && r.in(0).rows == 1) {  // one row serves all
        q.rows = std::min(q.rows, m_ - line % m_);
        q.a.base = r.row<T>(0, 0) + line % m_ * k_;
        q.a.stride = k_;
      } else {
        q.a.base = m_ == 1 ? r.row<T>(0, line) : r.row<T>(0, 0) + line * k_;
        q.a.stride = m_ == 1 ? r.in(0).stride : k_;
      }
      q.c = r.result<T>(0, 0) + line * n_ + first;
      kernels<T>().product(q);
    }
  }

  int64_t m_, k_, n_, epilogue_bytes_ = 0;
  Epilogue<T> epilogue_;
  bool wide_ = false;
};

// In each row `count` products of matrices [m, k] and [k, n]. A unit is one product; of large matrices, lines
// of one, which several threads may share.
template <class T>
class EachProductKernel final : public Kernel {
 public:
  EachProductKernel(const Prepare& p, int64_t k, int64_t count, bool transpose_a, bool transpose_b)
      : k_(k), count_(count), transpose_a_(transpose_a), transpose_b_(transpose_b) {
    m_ = p.in(0).shape.elements() / std::max<int64_t>(1, k_ * count_);
    n_ = p.in(1).shape.elements() / std::max<int64_t>(1, k_ * count_);
    shared_b_ = !p.in(1).has_batch() && count_ == 1;
    // Each piece packs b again: it is worth that from hundreds of lines on.
    const double work = static_cast<double>(m_) * static_cast<double>(k_) * static_cast<double>(n_);
    pieces_ = std::clamp<int64_t>(static_cast<int64_t>(work / kWorkOfPiece), 1,
                                  std::max<int64_t>(1, m_ / kLinesOfPiece));
    panels_ = kernels<T>().panel_elements(k_, n_);
    scratch_bytes = static_cast<int64_t>(sizeof(T)) * (panels_ + (transpose_a ? m_ * k_ : 0) + 16);
  }
  int64_t units(int64_t rows) const override { return rows * count_ * pieces_; }
  void run(const Run& r) const override {
    if (count_ == 1 && pieces_ == 1 && !transpose_a_) return run_rows(r);
    T* panels = r.scratch<T>();
    T* turned = panels + panels_;
    for (int64_t unit = r.begin(), product = -1; unit < r.end(); ++unit) {
      const bool new_product = unit / pieces_ != product;
      const bool pack_b = product < 0 || (new_product && !shared_b_);
      product = unit / pieces_;
      const int64_t row = product / count_;
      const int64_t matrix = product % count_;
      if (pack_b) pack(r.row<T>(1, row) + matrix * k_ * n_, k_, n_, transpose_b_, panels);
      Product<T> q;
      q.a.base = r.row<T>(0, row) + matrix * m_ * k_;
      q.a.stride = k_;
      if (transpose_a_) {
        if (new_product) turn(q.a.base, turned);
        q.a.base = turned;
      }
      const int64_t first = m_ * (unit % pieces_) / pieces_;
      q.rows = m_ * (unit % pieces_ + 1) / pieces_ - first;
      q.a.base += first * k_;
      q.panels = panels;
      q.c = r.result<T>(0, row) + matrix * m_ * n_ + first * n_;
      q.c_stride = n_;
      q.k = k_;
      q.n = n_;
      kernels<T>().product(q);
    }
  }

 private:
  // Rows that read the same matrix, as the steps of a sequence may, are one product.
  void run_rows(const Run& r) const {
    T* panels = r.scratch<T>();
    const auto a = [&](int64_t row) { return r.row<T>(0, row); };
    const auto b = [&](int64_t row) { return r.row<T>(1, row); };
    const T* packed = nullptr;
    const bool is_dense = r.out(0).stride == m_ * n_;
    for (int64_t row = r.begin(), end = row; row < r.end(); row = end) {
      const auto goes_on = [&] { return b(end) == b(row) && a(end) == a(row) + (end - row) * m_ * k_; };
      for (end = row + 1; is_dense && end < r.end() && goes_on();) ++end;
      if (b(row) != packed) pack(packed = b(row), k_, n_, transpose_b_, panels);
      Product<T> q;
      q.a.base = a(row);
      q.a.stride = k_;
      q.rows = (end - row) * m_;
      q.panels = panels;
      q.c = r.result<T>(0, row);
      q.c_stride = n_;
      q.k = k_;
      q.n = n_;
      kernels<T>().product(q);
    }
  }

  static constexpr double kWorkOfPiece = 1e9;  // products of two numbers
  static constexpr int64_t kLinesOfPiece = 240;

  void turn(const T* from, T* to) const {
    for (int64_t i = 0; i < k_; ++i)
      for (int64_t j = 0; j < m_; ++j) to[j * k_ + i] = from[i * m_ + j];
  }

  int64_t m_, k_, n_, count_, panels_, pieces_;
  bool transpose_a_, transpose_b_, shared_b_;
};

// a: [m, k] and b: [m, n] of each row; the result [k, n] sums over rows and m.
template <class T>
class RowProductKernel final : public Kernel {
 public:
  RowProductKernel(const Prepare& p, int inner) {
    Shape a = p.in(0).shape, b = p.in(1).shape;
    m_ = product_of(a, 0, inner);
    k_ = a.elements() / std::max<int64_t>(1, m_);
    n_ = b.elements() / std::max<int64_t>(1, m_);
    scratch_bytes =
        static_cast<int64_t>(sizeof(T)) * kernels<T>().row_product_scratch(std::max<int64_t>(k_, 1));
  }
  // Pieces of the longer side.
  int64_t units(int64_t) const override { return (std::max(k_, n_) + kUnit - 1) / kUnit; }
  void run(const Run& r) const override {
    int64_t first = r.begin() * kUnit, last = std::min(std::max(k_, n_), r.end() * kUnit);
    bool by_k = k_ >= n_;
    RowProduct<T> q;
    q.a = static_cast<const T*>(r.in(0).data) + (by_k ? first : 0);
    q.b = static_cast<const T*>(r.in(1).data) + (by_k ? 0 : first);
    q.c = r.result<T>(0, 0) + (by_k ? first * n_ : first);
    q.scratch = r.scratch<T>();
    q.a_stride = m_ == 1 ? r.in(0).stride : k_;
    q.b_stride = m_ == 1 ? r.in(1).stride : n_;
    q.c_stride = n_;
    q.rows = std::max(r.in(0).rows, r.in(1).rows) * m_;
    q.k = by_k ? last - first : k_;
    q.n = by_k ? n_ : last - first;
    q.accumulate = r.accumulate();
    kernels<T>().row_product(q);
  }

 private:
  static constexpr int64_t kUnit = 32;
  int64_t m_, k_, n_;
};

}  // namespace

Shape panels_shape(DType dtype, const Shape& b, int inner, bool transposed) {
  if (!b.is_static()) return Shape{kFree, kFree, kFree};
  int64_t width = dtype == DType::float64 ? kernels<double>().width : kernels<float>().width;
  int64_t k = transposed ? product_of(b, b.rank() - inner, b.rank()) : product_of(b, 0, inner);
  int64_t n = b.elements() / std::max<int64_t>(1, k);
  return {(n + width - 1) / width, k, width};
}

std::unique_ptr<Kernel> make_pack_panels(const Prepare& p, int inner, bool transposed) {
  Shape b = p.in(0).shape;
  int64_t k = transposed ? product_of(b, b.rank() - inner, b.rank()) : product_of(b, 0, inner);
  int64_t n = b.elements() / std::max<int64_t>(1, k);
  return product_by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<PackKernel<decltype(t)>>(k, n, transposed);
  });
}

std::unique_ptr<Kernel> make_packed_product(const Prepare& p, int inner) {
  want_dense(p);
  return product_by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<PackedProductKernel<decltype(t)>>(p, inner);
  });
}

std::unique_ptr<Kernel> make_each_product(const Prepare& p, int inner, bool transpose_a, bool transpose_b) {
  want_dense(p);
  Shape a = p.in(0).shape;
  int64_t k = transpose_a ? product_of(a, 0, inner) : product_of(a, a.rank() - inner, a.rank());
  return product_by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<EachProductKernel<decltype(t)>>(p, k, 1, transpose_a, transpose_b);
  });
}

std::unique_ptr<Kernel> make_stack_product(const Prepare& p, int64_t count, bool transpose_a,
                                           bool transpose_b) {
  want_dense(p);
  Shape a = p.in(0).shape;
  int64_t k = a[a.rank() - (transpose_a ? 2 : 1)];
  return product_by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<EachProductKernel<decltype(t)>>(p, k, count, transpose_a, transpose_b);
  });
}

std::unique_ptr<Kernel> make_row_product(const Prepare& p, int inner) {
  want_dense(p);
  return product_by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> {
    return std::make_unique<RowProductKernel<decltype(t)>>(p, inner);
  });
}

}  // namespace cantik::host
