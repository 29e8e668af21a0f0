// Sums over all but the channels of rows: [channels, pixels], or, with channels last, [pixels, channels]. In
// float64.
#include <algorithm>
#include <cmath>

#include <cantik/op.h>

#include "backends/host/loops.h"

using namespace cantik;

namespace {

struct Row {
  int64_t channels = 1, pixels = 1;
  bool last = false;
  static constexpr auto fields() {
    return list(field("channels", &Row::channels, "how many they are"),
                field("pixels", &Row::pixels, "of each channel"),
                field("last", &Row::last, "whether the channels are the last axis"));
  }
  int64_t outer() const { return last ? pixels : 1; }  // how often the channels come
  int64_t inner() const { return last ? 1 : pixels; }  // numbers of a channel side by side
};

struct Factors {
  double epsilon = 0;
  static constexpr auto fields() {
    return list(field("epsilon", &Factors::epsilon, "added to the variance"));
  }
};

constexpr auto infer_sums = [](Infer& in, const Row& a) {
  TypeView t = in.like(0, Shape{a.channels});
  t.axes = CANTIK_NO_AXES;
  t.dtype = DType::float64;
  in.set(0, t);
  in.set(1, t);
};

template <class T>
struct Sums final : Kernel {
  Row a;
  bool products;
  Sums(const Row& a, bool products) : a(a), products(products) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    double *s1 = static_cast<double*>(r.out(0).data), *s2 = static_cast<double*>(r.out(1).data);
    std::fill_n(s1, a.channels, 0.0);
    std::fill_n(s2, a.channels, 0.0);
    int64_t rows = r.in(0).rows;
    for (int64_t row = 0; row < rows; ++row) {
      if (products)
        host::loops<T>().channel_products(s1, s2, r.row<T>(0, row), r.row<T>(1, row),
                                          static_cast<const T*>(r.in(2).data), a.outer(), a.channels,
                                          a.inner());
      else
        host::loops<T>().channel_sums(s1, s2, r.row<T>(0, row), a.outer(), a.channels, a.inner());
    }
  }
};

template <class T>
struct MomentKernel final : Kernel {
  int64_t n;
  explicit MomentKernel(int64_t n) : n(n) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    const double *s1 = static_cast<const double*>(r.in(0).data),
                 *s2 = static_cast<const double*>(r.in(1).data);
    double count = static_cast<double>(*static_cast<const T*>(r.in(2).data)),
           each = count > 0 ? 1 / count : 0;
    for (int64_t c = 0; c < n; ++c) {
      double mean = s1[c] * each;
      r.result<T>(0, 0)[c] = static_cast<T>(mean);
      r.result<T>(1, 0)[c] = static_cast<T>(std::max(0.0, s2[c] * each - mean * mean));
    }
  }
};

template <class T>
struct FactorKernel final : Kernel {
  int64_t n;
  double epsilon;
  FactorKernel(int64_t n, double epsilon) : n(n), epsilon(epsilon) {}
  int64_t units(int64_t) const override { return 1; }
  void run(const Run& r) const override {
    const double *s1 = static_cast<const double*>(r.in(0).data),
                 *s2 = static_cast<const double*>(r.in(1).data);
    const T *variance = static_cast<const T*>(r.in(2).data), *scale = static_cast<const T*>(r.in(3).data);
    double count = static_cast<double>(*static_cast<const T*>(r.in(4).data)),
           each = count > 0 ? 1 / count : 0;
    for (int64_t c = 0; c < n; ++c) {
      double inverse = 1 / std::sqrt(static_cast<double>(variance[c]) + epsilon),
             p = static_cast<double>(scale[c]) * inverse;
      r.result<T>(0, 0)[c] = static_cast<T>(s2[c] * inverse);
      r.result<T>(1, 0)[c] = static_cast<T>(s1[c]);
      r.result<T>(2, 0)[c] = static_cast<T>(p);
      r.result<T>(3, 0)[c] = static_cast<T>(-p * inverse * inverse * s2[c] * each);
      r.result<T>(4, 0)[c] = static_cast<T>(-p * s1[c] * each);
    }
  }
};

std::unique_ptr<Kernel> make_sums(const Prepare& p, const Row& a, bool products) {
  return of_type<Sums>(p.in(0).dtype, a, products);
}

}  // namespace

CANTIK_OP(channel_sums) {
  // Of each channel the sum of x, and of x^2.
  op.attributes<Row>("channel_sums(x, channels=1, pixels=1, last=False)")
      .outputs(2)
      .traits(CANTIK_HIDDEN | CANTIK_SUMS_ROWS)
      .type(infer_sums)
      .images({.last = "last", .operands = {0}})
      .kernel("rows", [](const Prepare& p, const Row& a) { return make_sums(p, a, false); });

  // Of each channel the sum of dy, and of dy (x - mean).
  op.attributes<Row>("channel_products(x, dy, mean, channels=1, pixels=1, last=False)")
      .outputs(2)
      .traits(CANTIK_HIDDEN | CANTIK_SUMS_ROWS)
      .type(infer_sums)
      .images({.last = "last", .operands = {0, 1}})
      .kernel("rows", [](const Prepare& p, const Row& a) { return make_sums(p, a, true); });

  // Mean and variance of sums of x and x^2 over so many numbers, in the element type of the count.
  op.signature("channel_moments(sum, squares, count)")
      .outputs(2)
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in) {
        TypeView t = in.like(0, in.shape(0));
        t.dtype = in.in(2).dtype;
        in.set(0, t);
        in.set(1, t);
      })
      .kernel("channels", [](const Prepare& p, const NoAttributes&) -> std::unique_ptr<Kernel> {
        int64_t n = p.out().shape.elements();
        return of_type<MomentKernel>(p.dtype(), n);
      });

  // From the products of channels: the gradients of scale and bias, and p, q, r of dx = p dy + q (x - mean) +
  // r.
  op.attributes<Factors>("batch_factors(sum, products, variance, scale, count, epsilon=0.0)")
      .outputs(5)
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Factors&) {
        for (int i = 0; i < 5; ++i) in.set(i, in.like(2, in.shape(2)));
      })
      .kernel("channels", [](const Prepare& p, const Factors& a) -> std::unique_ptr<Kernel> {
        int64_t n = p.out().shape.elements();
        return of_type<FactorKernel>(p.dtype(), n, a.epsilon);
      });
}
