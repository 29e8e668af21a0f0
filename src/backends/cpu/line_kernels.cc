#include "backends/cpu/forms.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "backends/cpu/table.h"

namespace cantik::cpu {

namespace {

template <class T>
class LineKernel final : public Kernel {
 public:
  LineKernel(LineKind what, int64_t columns, int64_t elements)
      : what_(what), n_(columns), elements_(elements), lines_(n_ > 0 ? elements / n_ : 0) {
    pieces_ = std::clamp<int64_t>(elements / kElements, 1, std::max<int64_t>(1, lines_));
    scratch_bytes = static_cast<int64_t>(sizeof(T)) * (std::min(n_, kPiece) + 16);
  }
  // A row of many lines is several pieces.
  int64_t units(int64_t rows) const override { return rows * pieces_; }

  void run(const Run& r) const override {
    if (n_ == 0) return;
    const int64_t last = first_line(r.end());
    int64_t line = first_line(r.begin());
    if (takes_lines() && r.in(0).stride == elements_ && line < last) {
      const int64_t row = line / lines_, at = line % lines_ * n_;
      of_lines(r.row<T>(0, row) + at, r.result<T>(0, row) + at, last - line);
      return;
    }
    while (line < last) {
      const int64_t row = line / lines_;
      const T *x = r.row<T>(0, row), *dy = gradient() ? r.row<T>(1, row) : nullptr;
      T* y = r.result<T>(0, row);
      for (const int64_t end = std::min(last, (row + 1) * lines_); line < end; ++line) {
        const int64_t at = line % lines_ * n_;
        one(x + at, dy ? dy + at : nullptr, y + at, r.scratch<T>());
      }
    }
  }

 private:
  static constexpr int64_t kPiece = 512, kElements = 16384;  // numbers: held at once; of a piece of a row

  // Where a unit begins, counted over all rows.
  int64_t first_line(int64_t unit) const {
    return unit / pieces_ * lines_ + unit % pieces_ * lines_ / pieces_;
  }
  bool gradient() const {
    return what_ == LineKind::softmax_gradient || what_ == LineKind::log_softmax_gradient;
  }

  // Whether the kernel takes any number of lines that lie one behind the other.
  bool takes_lines() const { return what_ == LineKind::softmax || what_ == LineKind::log_softmax; }
  void of_lines(const T* x, T* y, int64_t lines) const {
    if (what_ == LineKind::softmax)
      kernels<T>().softmax(y, x, nullptr, lines, n_);
    else
      kernels<T>().log_softmax(y, x, lines, n_);
  }

  void one(const T* x, const T* dy, T* y, T* scratch) const {
    const Kernels<T>& k = kernels<T>();
    switch (what_) {
      case LineKind::softmax:
      case LineKind::log_softmax: return of_lines(x, y, 1);
      case LineKind::softmax_gradient: {
        double total = 0;
        for (int64_t from = 0; from < n_; from += kPiece) {
          int64_t m = std::min(kPiece, n_ - from);
          for (int64_t i = 0; i < m; ++i) scratch[i] = x[from + i] * dy[from + i];
          total += k.sum(scratch, m);
        }
        const T dot = static_cast<T>(total);
        for (int64_t i = 0; i < n_; ++i) y[i] = x[i] * (dy[i] - dot);
        return;
      }
      case LineKind::log_softmax_gradient: {
        const T sum = static_cast<T>(k.sum(dy, n_));
        for (int64_t from = 0; from < n_; from += kPiece) {
          int64_t m = std::min(kPiece, n_ - from), whole = (m + 15) / 16 * 16;
          std::fill(std::copy_n(x + from, m, scratch), scratch + whole, T(0));
          k.tile[CANTIK_X_EXP](scratch, scratch, scratch, scratch, whole);
          for (int64_t i = 0; i < m; ++i) y[from + i] = dy[from + i] - scratch[i] * sum;
        }
        return;
      }
      case LineKind::hardmax: {
        const int64_t at = std::max_element(x, x + n_) - x;
        std::fill_n(y, n_, T(0));
        if (at < n_) y[at] = 1;
        return;
      }
    }
  }

  LineKind what_;
  int64_t n_, elements_, lines_, pieces_;
};

}  // namespace

std::unique_ptr<Kernel> make_lines(const Prepare& p, LineKind what, int64_t columns) {
  int64_t elements = p.out().shape.elements();
  if (p.dtype() == DType::float32) return std::make_unique<LineKernel<float>>(what, columns, elements);
  if (p.dtype() == DType::float64) return std::make_unique<LineKernel<double>>(what, columns, elements);
  throw declined("exponentials of " + std::string(name_of(p.dtype())));
}

}  // namespace cantik::cpu
