#include "backends/cpu/forms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/list_bytes.h"
#include "backends/cpu/table.h"

namespace cantik::cpu {

namespace {

constexpr int64_t kColumns = 512;     // columns of a result over rows that one worker does at a time
constexpr int64_t kElements = 16384;  // of a share of a long row, about

// How two numbers become one, what a run of numbers side by side becomes, what that makes of what was before
// it, and how a run is joined to another element by element. Sums and products are made in double: in float32
// a sum loses what comes last, and a product may be infinite on its way.
struct Sum {
  template <class T>
  using Wide = double;
  template <class T>
  static double nothing() {
    return 0;
  }
  template <class T>
  static double run(const T* x, int64_t n) {
    return kernels<T>().sum(x, n);
  }
  template <class T>
  static double after(double a, const T* x, int64_t n) {
    return a + run(x, n);
  }
  template <class T>
  static void join(double* y, const T* x, int64_t n) {
    kernels<T>().add_wide(y, x, n);
  }
};
struct Product {
  template <class T>
  using Wide = double;
  template <class T>
  static double nothing() {
    return 1;
  }
  template <class T>
  static double run(const T* x, int64_t n) {
    double lane[16];
    std::fill_n(lane, 16, 1.0);
    for (int64_t i = 0; i < n; i += 16) kernels<T>().multiply_wide(lane, x + i, std::min<int64_t>(16, n - i));
    for (int j = 1; j < 16; ++j) lane[0] *= lane[j];
    return lane[0];
  }
  template <class T>
  static double after(double a, const T* x, int64_t n) {
    return a * run(x, n);
  }
  template <class T>
  static void join(double* y, const T* x, int64_t n) {
    kernels<T>().multiply_wide(y, x, n);
  }
};

// The one that is best by Op; a run is false where a number is none (NaN).
template <class Op>
struct Best {
  template <class T>
  using Wide = T;
  template <class T>
  static bool of(const T* x, int64_t n, T* best) {
    if (n >= 16) return (kernels<T>().*Op::template loop<T>)(x, n, best);
    bool all = true;
    *best = x[0];
    for (int64_t i = 0; i < n; ++i) *best = Op::two(*best, x[i]), all &= x[i] == x[i];
    return all;
  }
  template <class T>
  static void join(T* y, const T* x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = Op::two(y[i], x[i]);
  }
};
// As CNTK has it, one number after the other: one that is none takes the place of all before it, and gives
// way to the next one.
template <class Op>
struct Extreme : Best<Op> {
  template <class T>
  static T run(const T* x, int64_t n) {
    T best;
    return Best<Op>::of(x, n, &best) ? best : in_order(x[0], x + 1, n - 1);
  }
  template <class T>
  static T after(T a, const T* x, int64_t n) {
    T best;
    return Best<Op>::of(x, n, &best) ? Op::two(a, best) : in_order(a, x, n);
  }

 private:
  template <class T>
  static T in_order(T a, const T* x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) a = Op::two(a, x[i]);
    return a;
  }
};
struct Max : Extreme<Max> {
  template <class T>
  static constexpr auto loop = &Kernels<T>::largest;
  template <class T>
  static T nothing() {
    return -std::numeric_limits<T>::infinity();
  }
  template <class T>
  static T two(T a, T b) {
    return a > b ? a : b;
  }
};
struct Min : Extreme<Min> {
  template <class T>
  static constexpr auto loop = &Kernels<T>::least;
  template <class T>
  static T nothing() {
    return std::numeric_limits<T>::infinity();
  }
  template <class T>
  static T two(T a, T b) {
    return a < b ? a : b;
  }
};
// As MXNet, NumPy and ONNX have it: no number, wherever one is none.
template <class Op>
struct OrNan : Best<Op> {
  template <class T>
  static T nothing() {
    return Op::template nothing<T>();
  }
  template <class T>
  static T two(T a, T b) {
    return a != a ? a : Op::two(a, b);  // which is b where b is none
  }
  template <class T>
  static T run(const T* x, int64_t n) {
    T best;
    return Best<Op>::of(x, n, &best) ? best : std::numeric_limits<T>::quiet_NaN();
  }
  template <class T>
  static T after(T a, const T* x, int64_t n) {
    return two(a, run(x, n));
  }
  template <class T>
  static void join(T* y, const T* x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) y[i] = two(y[i], x[i]);
  }
};
using MaxOrNan = OrNan<Max>;
using MinOrNan = OrNan<Min>;

// Where runs begin: at even distances, as along a single axis, or as a list says.
class Offsets {
 public:
  // Each of them n times, `stride` apart; what is there already lies inside.
  void repeat(int64_t n, int64_t stride) {
    if (count_ == 1) {
      count_ = static_cast<size_t>(n);
      stride_ = stride;
      return;
    }
    std::vector<int64_t> longer;
    longer.reserve(count_ * static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
      for (size_t k = 0; k < count_; ++k) longer.push_back(i * stride + (*this)[k]);
    list_ = std::move(longer);
    count_ = list_.size();
  }
  size_t size() const { return count_; }
  int64_t operator[](size_t i) const { return list_.empty() ? static_cast<int64_t>(i) * stride_ : list_[i]; }
  int64_t bytes() const { return bytes_of_list(list_); }

 private:
  size_t count_ = 1;
  int64_t stride_ = 0;
  std::vector<int64_t> list_;
};

// A row seen as kept and reduced runs. Where the innermost axes are reduced, `run` numbers side by side
// become one; where they stay, `run` results lie side by side. Offsets are those of the outer axes.
struct Runs {
  bool inner_reduced = true;
  int64_t run = 1, elements = 1, results = 1;
  Offsets kept, reduced;

  Runs(const Shape& x, const std::vector<bool>& mask) {
    // Axes of the same kind side by side are one.
    std::vector<std::pair<int64_t, bool>> groups;
    for (int i = 0; i < x.rank(); ++i) {
      if (x[i] == 1) continue;
      bool r = mask[i];
      if (!groups.empty() && groups.back().second == r)
        groups.back().first *= x[i];
      else
        groups.push_back({x[i], r});
      (r ? elements : results) *= x[i];
    }
    elements *= results;
    if (groups.empty()) return;
    inner_reduced = groups.back().second;
    run = groups.back().first;
    int64_t stride = run;
    groups.pop_back();
    while (!groups.empty()) {  // from the inside out, so that the outer axis ends up slowest
      auto [n, r] = groups.back();
      groups.pop_back();
      (r ? reduced : kept).repeat(n, stride);
      stride *= n;
    }
  }
  int64_t bytes() const { return kept.bytes() + reduced.bytes(); }
};

template <class T, class Op>
class ReduceKernel : public Kernel {
  using Wide = typename Op::template Wide<T>;

 public:
  ReduceKernel(const Prepare& p, const std::vector<bool>& mask, bool mean)
      : runs_(p.in(0).shape, mask), mean_(mean), over_rows_(p.in(0).has_batch() && !p.out().has_batch()) {
    count_ = runs_.results ? runs_.elements / runs_.results : 0;
    pieces_ = runs_.inner_reduced ? 1 : (runs_.run + kColumns - 1) / kColumns;
    shares_ = std::clamp<int64_t>(runs_.elements / kElements, 1, std::max<int64_t>(1, all_pieces()));
    scratch_bytes =
        static_cast<int64_t>(sizeof(Wide)) * (runs_.inner_reduced ? 0 : std::min(runs_.run, kColumns)) + 128;
    state_bytes = runs_.bytes();
  }

  // Over rows a unit is a kept run, or a piece of one; otherwise a row, or a share of a long one.
  int64_t units(int64_t rows) const override { return over_rows_ ? all_pieces() : rows * shares_; }

  void run(const Run& r) const override {
    if (runs_.elements == 0) return empty(r);
    if (!over_rows_) {
      for (int64_t unit = r.begin(); unit < r.end(); ++unit) {
        const int64_t row = unit / shares_, share = unit % shares_, all = all_pieces();
        within(r, row, all * share / shares_, all * (share + 1) / shares_);
      }
      return;
    }
    for (int64_t u = r.begin(); u < r.end(); ++u) {
      if (runs_.inner_reduced)
        column(r, u);
      else
        columns(r, u / pieces_, u % pieces_);
    }
  }

 private:
  int64_t all_pieces() const { return static_cast<int64_t>(runs_.kept.size()) * pieces_; }
  // The pieces first .. last of a row's result.
  void within(const Run& r, int64_t row, int64_t first, int64_t last) const {
    const T* x = r.row<T>(0, row);
    T* y = r.result<T>(0, row);
    if (runs_.inner_reduced) {
      for (int64_t k = first; k < last; ++k) {
        Wide total = Op::template run<T>(x + runs_.kept[k] + runs_.reduced[0], runs_.run);
        add_runs(total, x + runs_.kept[k], 1);
        y[k] = made(total, count_);
      }
      return;
    }
    for (; first < last; ++first) {
      const int64_t k = first / pieces_, from = first % pieces_ * kColumns,
                    n = std::min(kColumns, runs_.run - from);
      Wide* total = r.scratch<Wide>();
      block(total, x + runs_.kept[k] + from, n, true);
      for (int64_t i = 0; i < n; ++i) y[k * runs_.run + from + i] = made(total[i], count_);
    }
  }
  // All reduced runs of one kept place from number `first` on.
  void add_runs(Wide& total, const T* x, size_t first) const {
    for (size_t i = first; i < runs_.reduced.size(); ++i)
      total = Op::template after<T>(total, x + runs_.reduced[i], runs_.run);
  }
  // n results side by side, of what is reduced; `begins`: nothing is there yet.
  void block(Wide* y, const T* x, int64_t n, bool begins) const {
    for (size_t i = 0; i < runs_.reduced.size(); ++i) {
      const T* source = x + runs_.reduced[i];
      if (i == 0 && begins)
        std::copy_n(source, n, y);
      else
        Op::template join<T>(y, source, n);
    }
  }
  void column(const Run& r, int64_t k) const {
    Wide total = Op::template nothing<T>();
    const int64_t rows = r.in(0).rows;
    for (int64_t row = 0; row < rows; ++row) {
      const T* x = r.row<T>(0, row) + runs_.kept[k];
      if (row == 0) total = Op::template run<T>(x + runs_.reduced[0], runs_.run);
      add_runs(total, x, row == 0 ? 1 : 0);
    }
    r.result<T>(0, 0)[k] = made(total, count_ * rows);
  }
  void columns(const Run& r, int64_t k, int64_t piece) const {
    const int64_t from = piece * kColumns, n = std::min(kColumns, runs_.run - from), rows = r.in(0).rows;
    T* y = r.result<T>(0, 0) + k * runs_.run + from;
    Wide* total = r.scratch<Wide>();
    if (rows == 0) std::fill_n(total, n, Op::template nothing<T>());
    for (int64_t row = 0; row < rows; ++row)
      block(total, r.row<T>(0, row) + runs_.kept[k] + from, n, row == 0);
    for (int64_t i = 0; i < n; ++i) y[i] = made(total[i], count_ * rows);
  }
  T made(Wide total, int64_t count) const {
    return static_cast<T>(mean_ ? total / static_cast<Wide>(count) : total);
  }
  void empty(const Run& r) const {
    for (int64_t row = over_rows_ ? 0 : r.begin(); row < (over_rows_ ? 1 : r.end()); ++row)
      std::fill_n(r.result<T>(0, row), runs_.results, static_cast<T>(Op::template nothing<T>()));
  }

  Runs runs_;
  bool mean_, over_rows_;
  int64_t count_, pieces_, shares_;  // shares of a row
};

// log(sum of e^x), the largest number taken out first.
template <class T>
class LogSumKernel final : public Kernel {
 public:
  LogSumKernel(const Prepare& p, const std::vector<bool>& mask)
      : runs_(p.in(0).shape, mask), over_rows_(p.in(0).has_batch() && !p.out().has_batch()) {
    pieces_ = runs_.inner_reduced ? 1 : (runs_.run + kColumns - 1) / kColumns;
    scratch_bytes = static_cast<int64_t>(2 * sizeof(T) + sizeof(double)) * kColumns;
    state_bytes = runs_.bytes();
  }
  int64_t units(int64_t rows) const override {
    return over_rows_ ? static_cast<int64_t>(runs_.kept.size()) * pieces_ : rows;
  }
  void run(const Run& r) const override {
    int64_t rows = r.in(0).rows, all = static_cast<int64_t>(runs_.kept.size()) * pieces_;
    if (over_rows_) return some(r, r.begin(), r.end(), 0, rows, r.result<T>(0, 0));
    for (int64_t row = r.begin(); row < r.end(); ++row) some(r, 0, all, row, row + 1, r.result<T>(0, row));
  }

 private:
  // The units first .. last of the result, over these rows.
  void some(const Run& r, int64_t first, int64_t last, int64_t begin, int64_t end, T* y) const {
    for (int64_t u = first; u < last; ++u) {
      int64_t k = u / pieces_, from = u % pieces_ * kColumns, offset = runs_.kept[k];
      if (runs_.inner_reduced) {
        T *part = r.scratch<T>(), total = 0;
        int64_t count = 0;
        each(r, begin, end, [&](const T* x) {  // pieces of the sum, then theirs
          kernels<T>().log_sum_exp(part + 1, x + offset, 1, runs_.run);
          part[0] = total;
          total = part[1];
          if (count++ > 0) kernels<T>().log_sum_exp(&total, part, 1, 2);
        });
        y[k] = total;
      } else {
        block(r, begin, end, offset + from, std::min(kColumns, runs_.run - from), y + k * runs_.run + from);
      }
    }
  }
  template <class F>
  void each(const Run& r, int64_t begin, int64_t end, F&& f) const {
    for (int64_t row = begin; row < end; ++row)
      for (size_t i = 0; i < runs_.reduced.size(); ++i) f(r.row<T>(0, row) + runs_.reduced[i]);
  }
  void block(const Run& r, int64_t begin, int64_t end, int64_t at, int64_t n, T* y) const {
    double* sum = r.scratch<double>();
    T *m = reinterpret_cast<T*>(sum + kColumns), *t = m + kColumns;
    int64_t whole = (n + 15) / 16 * 16;
    std::fill_n(m, n, -std::numeric_limits<T>::infinity());
    std::fill_n(sum, n, 0.0);
    std::fill_n(t, whole, T(0));
    each(r, begin, end, [&](const T* x) { MaxOrNan::join<T>(m, x + at, n); });
    each(r, begin, end, [&](const T* x) {
      for (int64_t i = 0; i < n; ++i) t[i] = x[at + i] - m[i];
      kernels<T>().tile[CANTIK_X_EXP](t, t, t, t, whole);
      Sum::join<T>(sum, t, n);
    });
    for (int64_t i = 0; i < n; ++i)
      y[i] = std::isfinite(m[i]) ? static_cast<T>(static_cast<double>(m[i]) + std::log(sum[i])) : m[i];
  }
  Runs runs_;
  bool over_rows_;
  int64_t pieces_;
};

// The place of the largest or smallest number among the reduced ones, the first of several.
template <class T, bool kLargest>
class ArgKernel final : public Kernel {
 public:
  ArgKernel(const Prepare& p, const std::vector<bool>& mask) : runs_(p.in(0).shape, mask) {
    scratch_bytes = static_cast<int64_t>(sizeof(T)) * (runs_.inner_reduced ? 16 : runs_.run + 16);
    state_bytes = runs_.bytes();
  }
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* x = r.row<T>(0, row);
      T* y = r.result<T>(0, row);
      for (size_t k = 0; k < runs_.kept.size(); ++k) {
        if (runs_.inner_reduced)
          *y++ = inner(x + runs_.kept[k]);
        else
          outer(y, x + runs_.kept[k], r.scratch<T>()), y += runs_.run;
      }
    }
  }

 private:
  static bool better(T a, T b) { return kLargest ? a > b : a < b; }
  T inner(const T* x) const {
    T best = x[runs_.reduced[0]];
    int64_t at = 0;
    for (size_t i = 0; i < runs_.reduced.size(); ++i)
      for (int64_t j = 0; j < runs_.run; ++j)
        if (T v = x[runs_.reduced[i] + j]; better(v, best))
          best = v, at = static_cast<int64_t>(i) * runs_.run + j;
    return static_cast<T>(at);
  }
  void outer(T* y, const T* x, T* best) const {
    std::copy_n(x + runs_.reduced[0], runs_.run, best);
    std::fill_n(y, runs_.run, T(0));
    for (size_t i = 1; i < runs_.reduced.size(); ++i)
      for (int64_t j = 0; j < runs_.run; ++j)
        if (T v = x[runs_.reduced[i] + j]; better(v, best[j])) best[j] = v, y[j] = static_cast<T>(i);
  }
  Runs runs_;
};

template <class T>
std::unique_ptr<Kernel> make(const Prepare& p, Reduction op, const std::vector<bool>& mask) {
  switch (op) {
    case Reduction::sum: return std::make_unique<ReduceKernel<T, Sum>>(p, mask, false);
    case Reduction::mean: return std::make_unique<ReduceKernel<T, Sum>>(p, mask, true);
    case Reduction::max: return std::make_unique<ReduceKernel<T, Max>>(p, mask, false);
    case Reduction::min: return std::make_unique<ReduceKernel<T, Min>>(p, mask, false);
    case Reduction::max_or_nan: return std::make_unique<ReduceKernel<T, MaxOrNan>>(p, mask, false);
    case Reduction::min_or_nan: return std::make_unique<ReduceKernel<T, MinOrNan>>(p, mask, false);
    case Reduction::product: return std::make_unique<ReduceKernel<T, Product>>(p, mask, false);
    case Reduction::log_sum: return std::make_unique<LogSumKernel<T>>(p, mask);
    case Reduction::argmax: return std::make_unique<ArgKernel<T, true>>(p, mask);
    case Reduction::argmin: return std::make_unique<ArgKernel<T, false>>(p, mask);
  }
  throw declined("an unknown reduction");
}

}  // namespace

std::unique_ptr<Kernel> make_reduction(const Prepare& p, Reduction op, const std::vector<bool>& reduced) {
  if (p.dtype() == DType::float32) return make<float>(p, op, reduced);
  if (p.dtype() == DType::float64) return make<double>(p, op, reduced);
  throw declined("reductions of " + std::string(name_of(p.dtype())));
}

}  // namespace cantik::cpu
