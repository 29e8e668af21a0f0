#include "backends/cpu/product_kernels.h"

#include <algorithm>

#include "backends/cpu/map.h"
#include "backends/cpu/table.h"
#include "graph/types.h"

namespace cantik::cpu {
namespace {

int64_t product_of(const Shape& s, int from, int to) {
  int64_t n = 1;
  for (int i = from; i < to; ++i) n *= s[i];
  return n;
}

// Calls make<float>() or make<double>().
template <class F>
std::unique_ptr<Kernel> by_type(DType dtype, F&& make) {
  if (dtype == DType::float32) return make(float{});
  if (dtype == DType::float64) return make(double{});
  throw declined("products of " + std::string(name_of(dtype)));
}

void want_dense(const Prepare& p) {
  for (int i = 0; i < 2; ++i)
    if (!p.in(i).is_dense()) throw declined("sparse rows");
}

// b: [k, n], or [n, k] where transposed -> panels of `width` columns.
template <class T>
void pack(const T* b, int64_t k, int64_t n, bool transposed, T* panels) {
  int64_t width = kernels<T>().panel_width;
  for (int64_t j = 0; j < n; j += width)
    for (int64_t i = 0; i < k; ++i, panels += width)
      for (int64_t x = 0; x < width; ++x) panels[x] = j + x >= n ? T(0) : transposed ? b[(j + x) * k + i] : b[i * n + j + x];
}

template <class T>
struct PackKernel final : Kernel {
  int64_t k, n;
  bool transposed;
  PackKernel(int64_t k, int64_t n, bool transposed) : k(k), n(n), transposed(transposed) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override { pack(r.row<T>(0, 0), k, n, transposed, r.result<T>(0, 0)); }
};

template <class T>
class PackedProductKernel final : public Kernel {
 public:
  PackedProductKernel(const Prepare& p, int inner) {
    Shape a = p.in(0).shape, y = p.out().shape;
    m_ = product_of(a, 0, a.rank() - inner);
    k_ = product_of(a, a.rank() - inner, a.rank());
    n_ = product_of(y, a.rank() - inner, y.rank());
    if (p.epilogue().count > 0) {
      Expression e = Expression::from_c(p.epilogue());
      std::vector<Type> in{type_of(p.out())}, out{type_of(p.out())};
      for (int i = 0; i < p.epilogue_inputs(); ++i) in.push_back(type_of(p.in(p.inputs() - p.epilogue_inputs() + i)));
      epilogue_ = make_map(e, in, out);
      extra_ = p.epilogue_inputs();
      first_extra_ = p.inputs() - extra_;
      scratch_bytes = epilogue_->scratch_bytes;
    }
  }

  void run(const Run& r) const override {
    int64_t block = std::max<int64_t>(1, kRows / std::max<int64_t>(1, m_));
    if (!epilogue_) block = std::max<int64_t>(1, r.end() - r.begin());
    for (int64_t row = r.begin(), rows = 0; row < r.end(); row += rows) {
      rows = std::min(block, r.end() - row);
      Product<T> q;
      const T* pointers[kRows];
      if (r.in(0).map) {
        rows = std::min<int64_t>(rows, kRows);
        for (int64_t i = 0; i < rows; ++i) pointers[i] = r.row<T>(0, row + i);
        if (m_ == 1) q.a.rows = pointers;
        else rows = 1, q.a.base = pointers[0], q.a.stride = k_;
      } else {
        q.a.base = r.row<T>(0, row);
        q.a.stride = m_ == 1 ? r.in(0).stride : k_;
      }
      q.panels = static_cast<const T*>(r.in(1).data);
      q.c = r.result<T>(0, row);
      q.c_stride = n_;
      q.rows = rows * m_;
      q.k = k_;
      q.n = n_;
      kernels<T>().product(q);
      if (epilogue_) finish(r, row, row + rows);
    }
  }

 private:
  static constexpr int64_t kRows = 48;  // a block's results stay in the first or second cache for the epilogue

  static Type type_of(const TypeView& t) { return from_c(t.c()); }

  void finish(const Run& r, int64_t begin, int64_t end) const {
    cantik_operand in[24];
    in[0] = r.out(0);
    for (int i = 0; i < extra_; ++i) in[1 + i] = r.in(first_extra_ + i);
    cantik_run c{};
    c.size = sizeof c;
    c.in = in;
    c.out = &r.out(0);
    c.scratch = r.scratch<char>();
    c.begin = begin;
    c.end = end;
    epilogue_->run(Run(&c));
  }

  int64_t m_, k_, n_;
  std::unique_ptr<Kernel> epilogue_;
  int extra_ = 0, first_extra_ = 0;
};

template <class T>
class EachProductKernel final : public Kernel {
 public:
  EachProductKernel(const Prepare& p, int inner, bool transpose_a, bool transpose_b) : transpose_a_(transpose_a), transpose_b_(transpose_b) {
    Shape a = p.in(0).shape, b = p.in(1).shape;
    int64_t a_inner = transpose_a ? product_of(a, 0, inner) : product_of(a, a.rank() - inner, a.rank());
    k_ = a_inner;
    m_ = a.elements() / std::max<int64_t>(1, k_);
    n_ = b.elements() / std::max<int64_t>(1, k_);
    shared_b_ = !p.in(1).has_batch();
    int64_t width = kernels<T>().panel_width;
    panels_ = (n_ + width - 1) / width * width * k_;
    scratch_bytes = static_cast<int64_t>(sizeof(T)) * (panels_ + (transpose_a ? m_ * k_ : 0) + 16);
  }
  void run(const Run& r) const override {
    T* panels = r.scratch<T>();
    T* turned = panels + panels_;
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      if (!shared_b_ || row == r.begin()) pack(r.row<T>(1, row), k_, n_, transpose_b_, panels);
      Product<T> q;
      q.a.base = r.row<T>(0, row);
      q.a.stride = k_;
      if (transpose_a_) {
        for (int64_t i = 0; i < k_; ++i)
          for (int64_t j = 0; j < m_; ++j) turned[j * k_ + i] = q.a.base[i * m_ + j];
        q.a.base = turned;
      }
      q.panels = panels;
      q.c = r.result<T>(0, row);
      q.c_stride = n_;
      q.rows = m_;
      q.k = k_;
      q.n = n_;
      kernels<T>().product(q);
    }
  }

 private:
  int64_t m_, k_, n_, panels_;
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
    scratch_bytes = static_cast<int64_t>(sizeof(T)) * kernels<T>().row_product_scratch(std::max<int64_t>(k_, 1));
  }
  int64_t units(int64_t) const override { return (k_ + kStrip - 1) / kStrip; }
  void run(const Run& r) const override {
    int64_t first = r.begin() * kStrip, last = std::min(k_, r.end() * kStrip);
    RowProduct<T> q;
    q.a = static_cast<const T*>(r.in(0).data) + first;
    q.b = static_cast<const T*>(r.in(1).data);
    q.c = r.result<T>(0, 0) + first * n_;
    q.scratch = r.scratch<T>();
    q.a_stride = m_ == 1 ? r.in(0).stride : k_;
    q.b_stride = m_ == 1 ? r.in(1).stride : n_;
    q.c_stride = n_;
    q.rows = std::max(r.in(0).rows, r.in(1).rows) * m_;
    q.k = last - first;
    q.n = n_;
    q.accumulate = r.accumulate();
    kernels<T>().row_product(q);
  }

 private:
  static constexpr int64_t kStrip = 24;
  int64_t m_, k_, n_;
};

}  // namespace

Shape panels_shape(DType dtype, const Shape& b, int inner, bool transposed) {
  if (!b.is_static()) return Shape{kFree, kFree, kFree};
  int64_t width = dtype == DType::float64 ? kernels<double>().panel_width : kernels<float>().panel_width;
  int64_t k = transposed ? product_of(b, b.rank() - inner, b.rank()) : product_of(b, 0, inner);
  int64_t n = b.elements() / std::max<int64_t>(1, k);
  return {(n + width - 1) / width, k, width};
}

std::unique_ptr<Kernel> make_pack_panels(const Prepare& p, int inner, bool transposed) {
  Shape b = p.in(0).shape;
  int64_t k = transposed ? product_of(b, b.rank() - inner, b.rank()) : product_of(b, 0, inner);
  int64_t n = b.elements() / std::max<int64_t>(1, k);
  return by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> { return std::make_unique<PackKernel<decltype(t)>>(k, n, transposed); });
}

std::unique_ptr<Kernel> make_packed_product(const Prepare& p, int inner) {
  want_dense(p);
  return by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> { return std::make_unique<PackedProductKernel<decltype(t)>>(p, inner); });
}

std::unique_ptr<Kernel> make_each_product(const Prepare& p, int inner, bool transpose_a, bool transpose_b) {
  want_dense(p);
  return by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> { return std::make_unique<EachProductKernel<decltype(t)>>(p, inner, transpose_a, transpose_b); });
}

std::unique_ptr<Kernel> make_row_product(const Prepare& p, int inner) {
  want_dense(p);
  return by_type(p.dtype(), [&](auto t) -> std::unique_ptr<Kernel> { return std::make_unique<RowProductKernel<decltype(t)>>(p, inner); });
}

}  // namespace cantik::cpu
