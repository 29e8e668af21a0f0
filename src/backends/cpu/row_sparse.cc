#include "backends/host/row_sparse.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "backends/cpu/table.h"

namespace cantik::host {

using namespace cpu;

namespace {

template <class T>
class AddKernel final : public Kernel {
 public:
  explicit AddKernel(const Prepare& p)
      : all_(p.out().shape[0]),
        few_{p.in(0).storage == CANTIK_ROW_SPARSE, p.in(1).storage == CANTIK_ROW_SPARSE} {
    width_ = all_ ? p.out().shape.elements() / all_ : 0;
  }
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    if (few_[0] && few_[1]) return merge(r);
    T* y = r.result<T>(0, 0);
    std::copy_n(static_cast<const T*>(r.in(few_[0] ? 1 : 0).data), all_ * width_, y);
    const cantik_operand& few = r.in(few_[0] ? 0 : 1);
    for (int64_t i = 0; i < few.starts[1]; ++i)
      kernels<T>().add(y + few.columns[i] * width_, static_cast<const T*>(few.data) + i * width_, width_);
  }

 private:
  void merge(const Run& r) const {
    const cantik_operand &a = r.in(0), &b = r.in(1);
    RowSparseOut out(r.out());
    int64_t i = 0, j = 0, n = 0;
    T* y = static_cast<T*>(out.values);
    for (; i < a.starts[1] || j < b.starts[1]; ++n, y += width_) {
      bool left = j == b.starts[1] || (i < a.starts[1] && a.columns[i] <= b.columns[j]),
           right = i == a.starts[1] || (j < b.starts[1] && b.columns[j] <= a.columns[i]);
      out.rows[n] = left ? a.columns[i] : b.columns[j];
      std::copy_n(static_cast<const T*>(left ? a.data : b.data) + (left ? i : j) * width_, width_, y);
      if (left && right) kernels<T>().add(y, static_cast<const T*>(b.data) + j * width_, width_);
      i += left;
      j += right;
    }
    *out.count = n;
  }
  int64_t all_, width_;
  bool few_[2];
};

template <class T>
struct ToDense final : Kernel {
  int64_t elements, width;
  ToDense(int64_t elements, int64_t width) : elements(elements), width(width) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    const cantik_operand& x = r.in(0);
    T* y = r.result<T>(0, 0);
    std::fill_n(y, elements, T(0));
    for (int64_t i = 0; i < x.starts[1]; ++i)
      std::copy_n(static_cast<const T*>(x.data) + i * width, width, y + x.columns[i] * width);
  }
};

template <class T>
struct CopyOfFewRows final : Kernel {
  int64_t width;
  explicit CopyOfFewRows(int64_t width) : width(width) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    const cantik_operand& x = r.in(0);
    const RowSparseOut out(r.out());
    *out.count = x.starts[1];
    std::copy_n(x.columns, x.starts[1], out.rows);
    std::copy_n(static_cast<const T*>(x.data), x.starts[1] * width, static_cast<T*>(out.values));
  }
};

}  // namespace

RowSet::RowSet(void* scratch, int64_t all) : bits_(static_cast<uint64_t*>(scratch)), words_((all + 63) / 64) {
  first_ = reinterpret_cast<int32_t*>(bits_ + words_);
  std::fill_n(bits_, words_, uint64_t{0});
}

int64_t RowSet::list(int32_t* rows) {
  int32_t count = 0;
  for (int64_t w = 0; w < words_; ++w) {
    first_[w] = count;
    for (uint64_t left = bits_[w]; left; left &= left - 1)
      rows[count++] = static_cast<int32_t>(w * 64 + __builtin_ctzll(left));
  }
  return count;
}

std::unique_ptr<Kernel> make_add_gradients(const Prepare& p) {
  if (p.dtype() == DType::float32) return std::make_unique<AddKernel<float>>(p);
  if (p.dtype() == DType::float64) return std::make_unique<AddKernel<double>>(p);
  throw declined("sums of " + std::string(name_of(p.dtype())));
}

std::unique_ptr<Kernel> make_copy_of_few_rows(const Prepare& p) {
  const int64_t all = p.out().shape[0], width = all ? p.out().shape.elements() / all : 0;
  if (p.dtype() == DType::float32) return std::make_unique<CopyOfFewRows<float>>(width);
  if (p.dtype() == DType::float64) return std::make_unique<CopyOfFewRows<double>>(width);
  throw declined("rows of " + std::string(name_of(p.dtype())));
}

std::unique_ptr<Kernel> make_row_sparse_to_dense(const Prepare& p) {
  int64_t n = p.out().shape.elements(), width = p.out().shape[0] ? n / p.out().shape[0] : 0;
  if (p.dtype() == DType::float32) return std::make_unique<ToDense<float>>(n, width);
  if (p.dtype() == DType::float64) return std::make_unique<ToDense<double>>(n, width);
  throw declined("rows of " + std::string(name_of(p.dtype())));
}

}  // namespace cantik::host
