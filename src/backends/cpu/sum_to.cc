// Sums along broadcast axes, in double and row after row: the result does not depend on the number of
// threads.
#include "backends/host/maps.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "backends/cpu/columns.h"
#include "backends/cpu/list_bytes.h"
#include "backends/cpu/table.h"
#include "graph/types.h"

namespace cantik::cpu {
namespace {

constexpr int64_t kMostHeld = 256;     // rows of terms that are made at a time
constexpr int64_t kUnitColumns = 256;  // of a unit

template <class T>
class SumToKernel final : public Kernel {
 public:
  // map: what makes the terms, or null where they are the operand.
  SumToKernel(const Type& terms, const Type& out, std::unique_ptr<Kernel> map, int inputs)
      : n_(terms.shape.elements()),
        m_(out.shape.elements()),
        over_rows_(terms.axes.has_batch() && !out.axes.has_batch()),
        map_(std::move(map)),
        inputs_(inputs) {
    if (m_ != n_) {
      runs_.emplace(terms.shape, out.shape);
      state_bytes = bytes_of_list(runs_->starts);
    }
    if (map_) state_bytes += map_->state_bytes;
    if (map_) held_ = std::clamp<int64_t>(8192 / std::max<int64_t>(1, n_), 1, kMostHeld);
    scratch_bytes = static_cast<int64_t>(sizeof(double)) * (sums_held() + 16) +
                    static_cast<int64_t>(sizeof(T)) * (held_ * n_ + 32) + (map_ ? map_->scratch_bytes : 0);
  }

  // Over rows: pieces of the result's columns, unless the terms have to be made; otherwise rows.
  int64_t units(int64_t rows) const override {
    if (!over_rows_) return rows;
    return is_of_pieces() ? (n_ + kUnitColumns - 1) / kUnitColumns : 1;
  }

  void run(const Run& r) const override {
    if (over_rows_ && is_of_pieces()) {
      for (int64_t unit = r.begin(); unit < r.end(); ++unit) piece(r, unit);
      return;
    }
    double* sums = r.scratch<double>();
    Terms terms(*this, r, reinterpret_cast<T*>(sums + sums_held() + 16));
    if (!over_rows_) {
      for (int64_t row = r.begin(); row < r.end(); ++row) {
        std::fill_n(sums, m_, 0.0);
        add_row(sums, terms.row(row, r.end()));
        std::transform(sums, sums + m_, r.result<T>(0, row), rounded);
      }
      return;
    }
    const int64_t rows = terms.rows();
    std::fill_n(sums, m_, 0.0);
    for (int64_t row = 0; row < rows; ++row) add_row(sums, terms.row(row, rows));
    std::transform(sums, sums + m_, r.result<T>(0, 0), rounded);
  }

 private:
  // The rows to be summed: the operand's, or made by the map a few at a time.
  class Terms {
   public:
    Terms(const SumToKernel& k, const Run& r, T* memory) : k_(k), r_(r), memory_(memory) {}
    int64_t rows() const {
      int64_t n = r_.in(0).rows;
      for (int i = 1; i < k_.inputs_; ++i) n = std::max(n, r_.in(i).rows);
      return n;
    }
    const T* row(int64_t at, int64_t end) {
      if (!k_.map_) return r_.row<T>(0, at);
      if (at >= made_) make(at, std::min(end, at + k_.held_));
      return memory_ + (at - first_) * k_.n_;
    }

   private:
    void make(int64_t begin, int64_t end) {
      cantik_operand out{};
      out.data = memory_ - begin * k_.n_;  // so that row `begin` is where the memory starts
      out.rows = end;
      out.stride = k_.n_;
      cantik_run c{};
      c.size = sizeof c;
      c.in = &r_.in(0);
      c.out = &out;
      c.scratch = memory_ + k_.held_ * k_.n_ + 16;
      c.begin = k_.map_->units(begin);
      c.end = k_.map_->units(end);
      k_.map_->run(Run(&c));
      first_ = begin;
      made_ = end;
    }
    const SumToKernel& k_;
    const Run& r_;
    T* memory_;
    int64_t first_ = 0, made_ = 0;
  };

  static T rounded(double sum) { return static_cast<T>(sum); }
  bool is_of_pieces() const { return m_ == n_ && !map_; }
  int64_t sums_held() const { return over_rows_ && is_of_pieces() ? kUnitColumns : m_; }

  // Columns that lie side by side in the rows and in the result.
  void piece(const Run& r, int64_t unit) const {
    const int64_t first = unit * kUnitColumns, n = std::min(n_ - first, kUnitColumns);
    double* sums = r.scratch<double>();
    std::fill_n(sums, n, 0.0);
    if (!r.in(0).map)
      kernels<T>().add_columns(sums, r.row<T>(0, 0) + first, r.in(0).rows, n, r.in(0).stride);
    else
      for (int64_t row = 0; row < r.in(0).rows; ++row)
        kernels<T>().add_wide(sums, r.row<T>(0, row) + first, n);
    std::transform(sums, sums + n, r.result<T>(0, 0) + first, rounded);
  }

  void add_row(double* y, const T* x) const {
    if (m_ == n_)
      kernels<T>().add_wide(y, x, n_);
    else if (runs_->repeats)
      kernels<T>().add_columns(y, x, n_ / m_, m_, m_);
    else
      for (const int32_t start : runs_->starts) x = add_run(y + start, x);
  }
  // What lies behind the run.
  const T* add_run(double* y, const T* x) const {
    const int64_t n = runs_->run;
    if (!runs_->advances)
      *y += kernels<T>().sum(x, n);
    else
      for (int64_t i = 0; i < n; ++i) y[i] += static_cast<double>(x[i]);
    return x + n;
  }

  int64_t n_, m_, held_ = 0;
  bool over_rows_;
  std::optional<ColumnRuns> runs_;  // where the terms' columns are in a shorter result
  std::unique_ptr<Kernel> map_;
  int inputs_;
};

std::unique_ptr<Kernel> make_sum_to_kernel(const Type& terms, const Type& out, std::unique_ptr<Kernel> map,
                                           int inputs) {
  if (out.dtype == DType::float32)
    return std::make_unique<SumToKernel<float>>(terms, out, std::move(map), inputs);
  if (out.dtype == DType::float64)
    return std::make_unique<SumToKernel<double>>(terms, out, std::move(map), inputs);
  throw declined("sums of " + std::string(name_of(out.dtype)));
}

}  // namespace
}  // namespace cantik::cpu

namespace cantik::host {

std::unique_ptr<Kernel> make_sum_to(const Prepare& p) {
  return cpu::make_sum_to_kernel(from_c(p.in(0).c()), from_c(p.out().c()), nullptr, 1);
}

std::unique_ptr<Kernel> make_map_sum(const Expression& e, std::span<const Type> in, const Type& out) {
  Type terms = broadcast(in, "map");
  return cpu::make_sum_to_kernel(terms, out, make_map(e, in, {&terms, 1}), static_cast<int>(in.size()));
}

}  // namespace cantik::host
