// Convolutions and poolings as CNTK 2.7 computes them, and what their tests share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <cantik/error.h>
#include <cantik/function.h>

namespace cantik::support {

using Ints = std::vector<int64_t>;

template <class T>
Tensor tensor(Shape s, const std::vector<T>& v) {
  return Tensor::of<T>(std::move(s), std::span<const T>(v));
}

template <class T>
std::vector<T> numbers(const Value& v) {
  return {v.data.data<T>(), v.data.data<T>() + v.data.elements()};
}

template <class T>
void expect_near(const std::vector<T>& got, const std::vector<double>& want, double tolerance,
                 const char* what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  double size = 1e-3;
  for (double x : want) size = std::max(size, std::abs(x));
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * size) << what << " at " << i;
}

// tests/golden/convolution_cntk.py wrote the figures.

struct GoldenConvolution {
  Ints x, w, strides, padding;
  int64_t groups, reduction_rank;
  bool transpose;
  Ints output_shape, y;
  std::vector<double> values, dx, dw;
};
struct GoldenPooling {
  Ints x;
  int64_t kind;
  Ints window, strides, padding;
  bool ceil, include_pad;
  Ints y;
  std::vector<double> values, dx;
};
#include "golden/convolution_golden.inc"

inline std::vector<double> ramp(int64_t n, int64_t seed) {
  std::vector<double> out;
  int64_t v = seed;
  for (int64_t i = 0; i < n; ++i) {
    v = (v * 1103515245 + 12345) % (int64_t{1} << 31);
    out.push_back(static_cast<double>((v >> 16) % 41 - 20) / 8);
  }
  return out;
}

// y, and the gradients of sum(y * r).
inline std::vector<std::vector<double>> values_and_gradients(const Function& y, const Variable& x,
                                                             std::vector<Variable> wrt) {
  Variable r = constant(tensor(y.output().shape(), ramp(y.output().shape().elements(), 3)));
  Function loss = call("element_times", {y, r});
  Feeds feeds{{x, Value::batch(tensor(Shape{2} + x.shape(), ramp(2 * x.shape().elements(), 1)))}};
  std::vector<std::vector<double>> all{numbers<double>(y.eval(feeds))};
  for (const Value& g : loss.grad(feeds, wrt)) all.push_back(numbers<double>(g));
  return all;
}

inline Function pooled(const Variable& x, int64_t kind, Shape window, Shape strides, Ints padding = {0}) {
  return call("pooling", {x},
              {{"pooling_type", kind},
               {"pooling_window_shape", window},
               {"strides", strides},
               {"auto_padding", padding}});
}

// The error that code ends with.
template <class F>
Error failure(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error";
  return Error(ErrorKind::runtime, "");
}

}  // namespace cantik::support
