// Elementwise expressions, number by number, and sums along the axes of broadcasting.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels.h"

using namespace cantik;

namespace naive {
namespace {

// Where each number of a row of this shape lies in an operand that broadcasts to it.
std::vector<int64_t> places_in(const Shape& operand, const Shape& all) {
  std::vector<int64_t> places(static_cast<size_t>(all.elements()), 0);
  for (int64_t i = 0; i < all.elements(); ++i) {
    int64_t left = i, step = 1, place = 0, below = 1;
    for (int axis = all.rank() - 1, own = operand.rank() - 1; axis >= 0; --axis, --own) {
      const int64_t at = left / below % all[axis];
      below *= all[axis];
      if (own < 0) continue;
      if (operand[own] != 1) place += at * step;
      step *= operand[own];
    }
    places[static_cast<size_t>(i)] = place;
  }
  return places;
}

template <class T>
T softplus(T x) {
  return std::max(x, T(0)) + std::log1p(std::exp(-std::fabs(x)));
}

template <class T>
T computed(const cantik_code& k, T x, T y, T z) {
  switch (k.op) {
    case CANTIK_X_ADD: return x + y;
    case CANTIK_X_SUB: return x - y;
    case CANTIK_X_MUL: return x * y;
    case CANTIK_X_DIV: return x / y;
    case CANTIK_X_MIN: return x < y ? x : y;
    case CANTIK_X_MAX: return x > y ? x : y;
    case CANTIK_X_POW: return std::pow(x, y);
    case CANTIK_X_LT: return x < y;
    case CANTIK_X_LE: return x <= y;
    case CANTIK_X_GT: return x > y;
    case CANTIK_X_GE: return x >= y;
    case CANTIK_X_EQ: return x == y;
    case CANTIK_X_NE: return x != y;
    case CANTIK_X_LOG_ADD_EXP: return (x > y ? x : y) + std::log1p(std::exp(-std::fabs(x - y)));
    case CANTIK_X_NEG: return -x;
    case CANTIK_X_ABS: return std::fabs(x);
    case CANTIK_X_SQRT: return std::sqrt(x);
    case CANTIK_X_FLOOR: return std::floor(x);
    case CANTIK_X_CEIL: return std::ceil(x);
    case CANTIK_X_EXP: return std::exp(x);
    case CANTIK_X_LOG: return std::log(x);
    case CANTIK_X_SIN: return std::sin(x);
    case CANTIK_X_COS: return std::cos(x);
    case CANTIK_X_TAN: return std::tan(x);
    case CANTIK_X_ASIN: return std::asin(x);
    case CANTIK_X_ACOS: return std::acos(x);
    case CANTIK_X_ATAN: return std::atan(x);
    case CANTIK_X_SINH: return std::sinh(x);
    case CANTIK_X_COSH: return std::cosh(x);
    case CANTIK_X_TANH: return std::tanh(x);
    case CANTIK_X_ASINH: return std::asinh(x);
    case CANTIK_X_ACOSH: return std::acosh(x);
    case CANTIK_X_ATANH: return std::atanh(x);
    case CANTIK_X_SIGMOID: return 1 / (1 + std::exp(-x));
    case CANTIK_X_SIGN: return static_cast<T>((x > 0) - (x < 0));
    case CANTIK_X_RECIPROCAL: return 1 / x;
    case CANTIK_X_SOFTPLUS: return softplus(x);
    case CANTIK_X_ERF: return std::erf(x);
    case CANTIK_X_SELECT: return x != 0 ? y : z;
    case CANTIK_X_FMA: return x * y + z;
    default: throw Failure(CANTIK_RUNTIME, "the operation " + std::to_string(k.op) + " is not known");
  }
}

template <class T>
struct Map final : Kernel {
  std::vector<cantik_code> codes;
  int32_t result;
  int64_t elements;
  std::vector<std::vector<int64_t>> places;  // of each operand

  explicit Map(const Prepare& p)
      : codes(p.epilogue().code, p.epilogue().code + p.epilogue().count),
        result(p.epilogue().result),
        elements(p.out().shape.elements()) {
    for (int i = 0; i < p.inputs(); ++i) places.push_back(places_in(p.in(i).shape, p.out().shape));
    scratch_bytes = static_cast<int64_t>(codes.size() * sizeof(T));
  }

  void run(const Run& r) const override {
    T* values = r.scratch<T>();
    auto value = [&](int32_t i) { return i < 0 ? T(0) : values[i]; };
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t i = 0; i < elements; ++i) {
        for (size_t c = 0; c < codes.size(); ++c) {
          const cantik_code& k = codes[c];
          if (k.op == CANTIK_X_CONSTANT)
            values[c] = static_cast<T>(k.value);
          else if (k.op == CANTIK_X_INPUT)
            values[c] =
                r.row<T>(k.arg[0], row)[places[static_cast<size_t>(k.arg[0])][static_cast<size_t>(i)]];
          else
            values[c] = computed(k, value(k.arg[0]), value(k.arg[1]), value(k.arg[2]));
        }
        r.result<T>(0, row)[i] = values[result];
      }
  }
};

// Each number of the operand goes to the place that broadcasting would have taken it from; rows that the
// result does not have are added up.
template <class T>
struct SumTo final : Kernel {
  int64_t elements;
  bool over_rows;
  std::vector<int64_t> places;
  explicit SumTo(const Prepare& p)
      : elements(p.out().shape.elements()),
        over_rows(p.in(0).has_batch() && !p.out().has_batch()),
        places(places_in(p.out().shape, p.in(0).shape)) {}

  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) std::fill_n(r.result<T>(0, row), elements, T(0));
    for (int64_t row = 0; row < r.in(0).rows; ++row) {
      T* y = r.result<T>(0, over_rows ? 0 : row);
      for (size_t i = 0; i < places.size(); ++i) y[places[i]] += r.row<T>(0, row)[i];
    }
  }
};

}  // namespace

void maps(BackendKernels& k) {
  k.add("form:map", [](const Prepare& p, const NoAttributes&) { return of_type<Map>(p.dtype(), p); });
  k.add("sum_to", [](const Prepare& p, const NoAttributes&) {
    if (p.in(0).has_batch() && p.out().has_batch() && p.in(0).axes != p.out().axes)
      throw declined("sums over the steps of sequences");
    return of_type<SumTo>(p.dtype(), p);
  });
}

}  // namespace naive
