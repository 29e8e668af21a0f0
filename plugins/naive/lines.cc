// Softmax and its relatives, line by line, and reductions over axes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels.h"

using namespace cantik;

namespace naive {
namespace {

template <class T>
T log_sum_exp(const T* x, int64_t n) {
  const T most = *std::max_element(x, x + n);
  if (std::isinf(most)) return most;
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(x[i] - most);
  return most + std::log(sum);
}

template <class T>
void line(LineKind what, const T* x, const T* dy, T* y, int64_t n) {
  T sum = 0;
  switch (what) {
    case LineKind::softmax:
    case LineKind::log_softmax: {
      const T all = log_sum_exp(x, n);
      for (int64_t i = 0; i < n; ++i) y[i] = what == LineKind::softmax ? std::exp(x[i] - all) : x[i] - all;
      return;
    }
    case LineKind::softmax_gradient:
      for (int64_t i = 0; i < n; ++i) sum += x[i] * dy[i];
      for (int64_t i = 0; i < n; ++i) y[i] = x[i] * (dy[i] - sum);
      return;
    case LineKind::log_softmax_gradient:
      for (int64_t i = 0; i < n; ++i) sum += dy[i];
      for (int64_t i = 0; i < n; ++i) y[i] = dy[i] - std::exp(x[i]) * sum;
      return;
    case LineKind::hardmax: {
      const int64_t best = std::max_element(x, x + n) - x;
      std::fill_n(y, n, T(0));
      y[best] = 1;
      return;
    }
  }
}

template <class T>
struct Lines final : Kernel {
  LineKind what;
  int64_t columns, elements;
  bool gradient;
  Lines(const LineForm& f, int64_t elements)
      : what(static_cast<LineKind>(f.what)),
        columns(f.columns),
        elements(elements),
        gradient(what == LineKind::softmax_gradient || what == LineKind::log_softmax_gradient) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t at = 0; at < elements && columns > 0; at += columns)
        line(what, r.row<T>(0, row) + at, gradient ? r.row<T>(1, row) + at : nullptr,
             r.result<T>(0, row) + at, columns);
  }
};

// The numbers that one number of the result is made of, all at once.
template <class T>
T reduced(Reduction what, const std::vector<T>& x) {
  auto fold = [&](T start, auto&& two) {
    for (const T v : x) start = two(start, v);
    return start;
  };
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  auto place = [&](auto&& better) {
    size_t best = 0;
    for (size_t i = 1; i < x.size(); ++i)
      if (better(x[i], x[best])) best = i;
    return static_cast<T>(best);
  };
  switch (what) {
    case Reduction::sum: return fold(0, [](T a, T b) { return a + b; });
    case Reduction::mean: return fold(0, [](T a, T b) { return a + b; }) / static_cast<T>(x.size());
    case Reduction::max: return fold(-kInfinity, [](T a, T b) { return a > b ? a : b; });
    case Reduction::min: return fold(kInfinity, [](T a, T b) { return a < b ? a : b; });
    case Reduction::max_or_nan:
      return fold(-kInfinity, [](T a, T b) { return a > b || std::isnan(a) ? a : b; });
    case Reduction::min_or_nan:
      return fold(kInfinity, [](T a, T b) { return a < b || std::isnan(a) ? a : b; });
    case Reduction::product: return fold(1, [](T a, T b) { return a * b; });
    case Reduction::log_sum: return log_sum_exp(x.data(), static_cast<int64_t>(x.size()));
    case Reduction::argmax: return place([](T a, T b) { return a > b; });
    case Reduction::argmin: return place([](T a, T b) { return a < b; });
  }
  throw Failure(CANTIK_RUNTIME, "the reduction is not known");
}

template <class T>
struct Reduce final : Kernel {
  Reduction what;
  std::vector<std::vector<int64_t>> places;  // in a row, for each number of the result
  bool over_rows;
  Reduce(const Prepare& p, const ReductionForm& f)
      : what(static_cast<Reduction>(f.what)), over_rows(p.in(0).has_batch() && !p.out().has_batch()) {
    const Shape x = p.in(0).shape;
    places.resize(static_cast<size_t>(p.out().shape.elements()));
    for (int64_t i = 0; i < x.elements(); ++i) {
      int64_t left = i, below = 1, step = 1, place = 0;
      for (int axis = x.rank() - 1; axis >= 0; --axis) {
        const int64_t at = left / below % x[axis];
        below *= x[axis];
        if (f.reduced[static_cast<size_t>(axis)]) continue;
        place += at * step;
        step *= x[axis];
      }
      places[static_cast<size_t>(place)].push_back(i);
    }
  }
  void run(const Run& r) const override {
    std::vector<T> numbers;
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (size_t i = 0; i < places.size(); ++i) {
        numbers.clear();
        for (int64_t from = over_rows ? 0 : row; from < (over_rows ? r.in(0).rows : row + 1); ++from)
          for (const int64_t place : places[i]) numbers.push_back(r.row<T>(0, from)[place]);
        r.result<T>(0, row)[i] = numbers.empty() && what == Reduction::log_sum
                                     ? -std::numeric_limits<T>::infinity()
                                     : reduced(what, numbers);
      }
  }
};

}  // namespace

void lines(BackendKernels& k) {
  k.add<LineForm>("form:lines", [](const Prepare& p, const LineForm& f) {
    return of_type<Lines>(p.dtype(), f, p.out().shape.elements());
  });
  k.add<ReductionForm>("form:reduction", [](const Prepare& p, const ReductionForm& f) {
    return of_type<Reduce>(p.dtype(), p, f);
  });
}

}  // namespace naive
