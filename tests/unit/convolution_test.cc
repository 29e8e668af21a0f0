// Convolution, pooling and their gradients against direct loops, and their errors.
#include <gtest/gtest.h>

#include <cantik/error.h>
#include <cantik/function.h>

#include "cpu_helpers.h"
#include "graph/node.h"

using namespace cantik;
using namespace cantik::test;

namespace {

using Ints = std::vector<int64_t>;

// A convolution written down: axes padded in front to three.
struct Direct {
  int64_t channels, filters, groups;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, pad[3] = {0, 0, 0};

  // f(output index, input index, kernel index)
  template <class F>
  void each(F&& f) const {
    int64_t cg = channels / groups, fg = filters / groups;
    for (int64_t m = 0; m < filters; ++m)
      for (int64_t o0 = 0; o0 < out[0]; ++o0)
        for (int64_t o1 = 0; o1 < out[1]; ++o1)
          for (int64_t o2 = 0; o2 < out[2]; ++o2)
            for (int64_t c = 0; c < cg; ++c)
              for (int64_t t0 = 0; t0 < kernel[0]; ++t0)
                for (int64_t t1 = 0; t1 < kernel[1]; ++t1)
                  for (int64_t t2 = 0; t2 < kernel[2]; ++t2) {
                    int64_t i0 = o0 * stride[0] - pad[0] + t0 * dilation[0], i1 = o1 * stride[1] - pad[1] + t1 * dilation[1], i2 = o2 * stride[2] - pad[2] + t2 * dilation[2];
                    if (i0 < 0 || i1 < 0 || i2 < 0 || i0 >= in[0] || i1 >= in[1] || i2 >= in[2]) continue;
                    f(((m * out[0] + o0) * out[1] + o1) * out[2] + o2, (((m / fg * cg + c) * in[0] + i0) * in[1] + i1) * in[2] + i2,
                      ((m * cg + c) * kernel[0] + t0) * kernel[1] * kernel[2] + t1 * kernel[2] + t2);
                  }
  }
  int64_t in_size() const { return channels * in[0] * in[1] * in[2]; }
  int64_t out_size() const { return filters * out[0] * out[1] * out[2]; }
  int64_t kernel_size() const { return filters * (channels / groups) * kernel[0] * kernel[1] * kernel[2]; }
};

struct Case {
  Shape x, w;
  Shape strides{1};
  Ints padding{0};
  Shape dilation{1};
  int64_t groups = 1;
  Shape lower, upper;

  Direct direct(const Shape& y) const {
    Direct d;
    d.channels = x[0], d.filters = w[0], d.groups = groups;
    int rank = x.rank() - 1;
    auto along = [&](const auto& list, int axis, int64_t missing) {
      int n = static_cast<int>(list.size()), i = axis + 1 - (rank + 1 - n);
      return n == 0 ? missing : list.data()[i < 0 ? 0 : i];
    };
    for (int i = 0; i < rank; ++i) {
      int at = 3 - rank + i;
      d.in[at] = x[i + 1], d.out[at] = y[i + 1], d.kernel[at] = w[i + 2];
      d.stride[at] = along(strides, i, 1), d.dilation[at] = along(dilation, i, 1);
      int64_t reach = (d.kernel[at] - 1) * d.dilation[at] + 1;
      bool automatic = along(padding, i, 0) != 0;
      int64_t size = automatic ? (d.in[at] + d.stride[at] - 1) / d.stride[at] : (d.in[at] + along(lower, i, 0) + along(upper, i, 0) - reach) / d.stride[at] + 1;
      EXPECT_EQ(size, d.out[at]) << "axis " << i;
      d.pad[at] = automatic ? (reach - 1) / 2 - (d.in[at] - (size - 1) * d.stride[at] - 1) / 2 : along(lower, i, 0);
    }
    return d;
  }
  std::string text() const { return x.text() + " by " + w.text() + " strides " + strides.text() + " dilation " + dilation.text() + " groups " + std::to_string(groups); }
};

template <class T>
Tensor tensor(Shape s, const std::vector<T>& v) { return Tensor::of<T>(std::move(s), std::span<const T>(v)); }

template <class T>
std::vector<T> numbers(const Value& v) { return {v.data.data<T>(), v.data.data<T>() + v.data.elements()}; }

template <class T>
void expect_near(const std::vector<T>& got, const std::vector<double>& want, double tolerance, const char* what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  double size = 1e-3;
  for (double x : want) size = std::max(size, std::abs(x));
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], tolerance * size) << what << " at " << i;
}

// Values and gradients of sum(y * r), r fixed numbers, over `rows` images.
template <class T>
void check(const Case& c, int64_t rows, const RunOptions& options = {}) {
  SCOPED_TRACE(c.text() + ", " + std::to_string(rows) + " rows");
  DType dtype = dtype_of<T>;
  double tolerance = dtype == DType::float64 ? 1e-13 : 3e-6;
  Variable x = input(c.x, {.dtype = dtype, .needs_gradient = true});
  std::vector<T> w_data = noise<T>(c.w.elements(), 7);
  Variable w = parameter(c.w, tensor(c.w, w_data), dtype);
  Function y = call("convolution", {w, x},
                    {{"strides", c.strides}, {"auto_padding", c.padding}, {"dilation", c.dilation}, {"groups", c.groups}, {"lower_pad", c.lower}, {"upper_pad", c.upper}});
  Direct d = c.direct(y.output().shape());
  ASSERT_EQ(d.out_size(), y.output().shape().elements());
  std::vector<T> x_data = noise<T>(rows * d.in_size(), 1), r_data = noise<T>(rows * d.out_size(), 2);
  Variable r = input(y.output().shape(), {.dtype = dtype});
  Function loss = call("element_times", {y, r});
  Feeds feeds{{x, Value::batch(tensor(Shape{rows} + c.x, x_data))}, {r, Value::batch(tensor(Shape{rows} + y.output().shape(), r_data))}};
  std::vector<double> want_y(static_cast<size_t>(rows * d.out_size())), want_dx(static_cast<size_t>(rows * d.in_size())), want_dw(static_cast<size_t>(d.kernel_size()));
  for (int64_t n = 0; n < rows; ++n)
    d.each([&](int64_t o, int64_t i, int64_t k) {
      size_t out = static_cast<size_t>(n * d.out_size() + o), in = static_cast<size_t>(n * d.in_size() + i), kernel = static_cast<size_t>(k);
      want_y[out] += static_cast<double>(x_data[in]) * w_data[kernel];
      want_dx[in] += static_cast<double>(r_data[out]) * w_data[kernel];
      want_dw[kernel] += static_cast<double>(r_data[out]) * x_data[in];
    });
  expect_near(numbers<T>(y.eval({feeds[0]}, options)), want_y, tolerance, "y");
  std::vector<Value> values, g = loss.grad(feeds, {x, w}, {y}, &values, options);
  expect_near(numbers<T>(values[0]), want_y, tolerance, "y in training");
  expect_near(numbers<T>(g[0]), want_dx, tolerance, "dx");
  expect_near(numbers<T>(g[1]), want_dw, tolerance * 4, "dw");
}

const std::vector<Case>& cases() {
  static const std::vector<Case> list{
      {{1, 7, 6}, {2, 1, 3, 3}},
      {{1, 28, 28}, {32, 1, 5, 5}, {1}, {0, 1, 1}},
      {{3, 9, 8}, {16, 3, 3, 3}, {1}, {0, 1, 1}},
      {{16, 8, 8}, {16, 16, 3, 3}, {1}, {0, 1, 1}},
      {{16, 9, 9}, {32, 16, 3, 3}, {1, 2, 2}, {0, 1, 1}},
      {{16, 8, 8}, {32, 16, 1, 1}, {1, 2, 2}, {0, 0, 0}},
      {{16, 5, 5}, {48, 16, 3, 3}},
      {{8, 6, 6}, {5, 8, 1, 1}},
      {{5, 6, 7}, {7, 5, 2, 2}, {1}, {0, 1, 1}},
      {{5, 6, 7}, {7, 5, 4, 3}, {1, 2, 3}, {0, 1, 1}},
      {{5, 8, 8}, {6, 5, 4, 4}, {3}, {0, 1, 0}},
      {{4, 9, 9}, {4, 4, 3, 3}, {1}, {0, 1, 1}, {1, 2, 2}},
      {{4, 11, 9}, {6, 4, 3, 2}, {1, 2, 1}, {0, 0, 1}, {1, 2, 3}},
      {{4, 9, 9}, {6, 2, 3, 3}, {1}, {0, 1, 1}, {1}, 2},
      {{40, 6, 6}, {80, 20, 3, 3}, {1}, {0, 1, 1}, {1}, 2},
      {{6, 7, 7}, {6, 1, 3, 3}, {1}, {0, 1, 1}, {1}, 6},
      {{20, 7, 7}, {20, 1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1}, 20},
      {{4, 7, 7}, {8, 1, 3, 3}, {1}, {0, 1, 1}, {1}, 4},
      {{3, 6, 6}, {4, 3, 3, 3}, {1}, {0}, {1}, 1, {0, 2, 1}, {0, 0, 2}},
      {{3, 6, 6}, {4, 3, 2, 3}, {1, 2, 2}, {0}, {1}, 1, {0, 1, 0}, {0, 1, 1}},
      {{3, 20}, {4, 3, 5}, {1, 3}, {0, 1}},
      {{17, 12}, {18, 17, 4}, {1}, {0, 0}},
      {{3, 5, 6, 7}, {4, 3, 2, 3, 3}, {1, 1, 2, 2}, {0, 1, 1, 1}},
      {{2, 4, 5, 4}, {33, 2, 3, 1, 2}, {1, 2, 1, 1}, {0, 0, 1, 1}, {1, 1, 1, 2}},
      {{3, 2, 2}, {5, 3, 1, 1}, {1, 3, 3}, {0, 1, 1}},
      {{12}, {5, 12}},
  };
  return list;
}

TEST(Convolution, is_the_direct_sum) {
  for (const Case& c : cases()) {
    check<double>(c, 2);
    check<float>(c, 3);
  }
}

TEST(Convolution, of_many_images) {
  check<float>(cases()[3], 37);
  check<float>(cases()[6], 37, RunOptions{.threads = 2});
  check<double>(cases()[1], 19);
}

}  // namespace
