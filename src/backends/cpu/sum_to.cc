// Sums along broadcast axes. Over rows in fixed chunks, added in order: the result does not depend on the number of threads.
#include "backends/cpu/sum_to.h"

#include <algorithm>
#include <vector>

#include "backends/cpu/columns.h"
#include "backends/cpu/table.h"

namespace cantik::cpu {
namespace {

constexpr int64_t kChunk = 256;  // rows

template <class T>
class SumToKernel final : public Kernel {
 public:
  explicit SumToKernel(const Prepare& p) {
    Shape x = p.in(0).shape, y = p.out().shape;
    n_ = x.elements();
    m_ = y.elements();
    over_rows_ = p.in(0).has_batch() && !p.out().has_batch();
    if (m_ != n_) {
      // Runs of columns that meet one element of the result, where they lie side by side; a table otherwise.
      table_ = column_table(x, y);
      run_ = 1;
      while (run_ < n_ && table_[static_cast<size_t>(run_)] == table_[0]) ++run_;
      for (int64_t c = 0; c < n_ && run_ > 1; ++c)
        if (table_[static_cast<size_t>(c)] != table_[static_cast<size_t>(c / run_ * run_)]) run_ = 1;
    }
    scratch_bytes = static_cast<int64_t>(sizeof(T)) * (m_ + 16);
  }

  // Over rows: pieces of the result's columns; otherwise rows.
  int64_t units(int64_t rows) const override { return over_rows_ ? (m_ == n_ ? (n_ + kColumns - 1) / kColumns : 1) : rows; }

  void run(const Run& r) const override {
    if (!over_rows_) {
      for (int64_t row = r.begin(); row < r.end(); ++row) {
        T* y = r.result<T>(0, row);
        std::fill_n(y, m_, T(0));
        add_row(y, r.row<T>(0, row), 0, n_);
      }
      return;
    }
    int64_t first = m_ == n_ ? r.begin() * kColumns : 0, last = m_ == n_ ? std::min(n_, r.end() * kColumns) : n_;
    T* y = r.result<T>(0, 0);
    T* part = r.scratch<T>();
    int64_t rows = r.in(0).rows, begin = m_ == n_ ? first : 0, end = m_ == n_ ? last : m_;
    if (rows == 0) std::fill(y + begin, y + end, T(0));
    for (int64_t r0 = 0; r0 < rows; r0 += kChunk) {
      T* to = r0 == 0 ? y : part;
      std::fill(to + begin, to + end, T(0));
      for (int64_t row = r0; row < std::min(rows, r0 + kChunk); ++row) add_row(to, r.row<T>(0, row), first, last);
      if (r0 > 0) kernels<T>().add(y + begin, part + begin, end - begin);
    }
  }

 private:
  static constexpr int64_t kColumns = 256;

  void add_row(T* y, const T* x, int64_t first, int64_t last) const {
    if (m_ == n_) kernels<T>().add(y + first, x + first, last - first);
    else if (run_ > 1)
      for (int64_t c = 0; c < n_; c += run_) y[table_[static_cast<size_t>(c)]] += kernels<T>().sum(x + c, run_);
    else
      for (int64_t c = 0; c < n_; ++c) y[table_[static_cast<size_t>(c)]] += x[c];
  }

  int64_t n_, m_, run_ = 1;
  bool over_rows_;
  std::vector<int32_t> table_;
};

}  // namespace

std::unique_ptr<Kernel> make_sum_to(const Prepare& p) {
  if (p.dtype() == DType::float32) return std::make_unique<SumToKernel<float>>(p);
  if (p.dtype() == DType::float64) return std::make_unique<SumToKernel<double>>(p);
  throw declined("sums of " + std::string(name_of(p.dtype())));
}

}  // namespace cantik::cpu
