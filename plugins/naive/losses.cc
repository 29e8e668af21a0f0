// Cross entropy of softmax with labels, which may be sparse rows, and the error of a classification.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels.h"

using namespace cantik;

namespace naive {
namespace {

// A label as numbers.
template <class T>
std::vector<T> label_of(const Run& r, int64_t row, int64_t n) {
  const cantik_operand& o = r.in(1);
  std::vector<T> label(static_cast<size_t>(n), T(0));
  if (!o.starts) {
    std::copy_n(r.row<T>(1, row), n, label.begin());
    return label;
  }
  const int64_t stored = o.rows == 1 ? 0 : row;
  for (int64_t i = o.starts[stored]; i < o.starts[stored + 1]; ++i)
    label[static_cast<size_t>(o.columns[i])] = o.data ? static_cast<const T*>(o.data)[i] : T(1);
  return label;
}

template <class T>
T log_sum_exp_of_row(const T* z, int64_t n) {
  const T most = *std::max_element(z, z + n);
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += std::exp(z[i] - most);
  return most + std::log(sum);
}

// log sum of e^z - label z
template <class T>
struct Loss final : Kernel {
  int64_t n;
  explicit Loss(const Prepare& p) : n(p.in(0).shape.elements()) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* z = r.row<T>(0, row);
      const std::vector<T> label = label_of<T>(r, row, n);
      T right = 0;
      for (int64_t i = 0; i < n; ++i) right += label[static_cast<size_t>(i)] * z[i];
      *r.result<T>(0, row) = log_sum_exp_of_row(z, n) - right;
    }
  }
};

// (softmax(z) - label) dy
template <class T>
struct LossGradient final : Kernel {
  int64_t n;
  explicit LossGradient(const Prepare& p) : n(p.in(0).shape.elements()) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T *z = r.row<T>(0, row), dy = *r.row<T>(2, row);
      const std::vector<T> label = label_of<T>(r, row, n);
      const T all = log_sum_exp_of_row(z, n);
      for (int64_t i = 0; i < n; ++i)
        r.result<T>(0, row)[i] = (std::exp(z[i] - all) - label[static_cast<size_t>(i)]) * dy;
    }
  }
};

// 1 - the label at the highest score
template <class T>
struct RowError final : Kernel {
  int64_t n;
  explicit RowError(const Prepare& p) : n(p.in(0).shape.elements()) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const T* z = r.row<T>(0, row);
      *r.result<T>(0, row) = 1 - label_of<T>(r, row, n)[static_cast<size_t>(std::max_element(z, z + n) - z)];
    }
  }
};

void want_dense(const Prepare& p) {
  if (!p.in(0).is_dense()) throw declined("sparse scores");
}

}  // namespace

void losses(BackendKernels& k) {
  k.add("cross_entropy", [](const Prepare& p, const NoAttributes&) {
    want_dense(p);
    return of_type<Loss>(p.dtype(), p);
  });
  k.add("cross_entropy_gradient", [](const Prepare& p, const NoAttributes&) {
    want_dense(p);
    return of_type<LossGradient>(p.dtype(), p);
  });
  k.add("row_error", [](const Prepare& p, const NoAttributes&) {
    want_dense(p);
    return of_type<RowError>(p.dtype(), p);
  });
}

}  // namespace naive
