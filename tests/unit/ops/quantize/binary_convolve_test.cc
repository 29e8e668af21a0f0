// Convolutions of sums of signs against convolutions of the numbers they stand for, which are made here;
// gradients, files, errors.
#include <gtest/gtest.h>

#include <cantik/error.h>
#include <cantik/function.h>

#include "cpu_helpers.h"

using namespace cantik;
using namespace cantik::support;

namespace {

using Ints = std::vector<int64_t>;

struct Case {
  Shape x, w;
  Shape strides{1};
  Ints padding{0};
  Shape dilation{1};
  int64_t groups = 1, bits = 1, map_bits = 1;
  const char* scale = "mean";
  const char* map_scale = "mean";
  Shape lower, upper;

  std::vector<NamedAttribute> window() const {
    return {{"strides", strides}, {"auto_padding", padding}, {"dilation", dilation},
            {"groups", groups},   {"lower_pad", lower},      {"upper_pad", upper}};
  }
  std::vector<NamedAttribute> attributes() const {
    std::vector<NamedAttribute> all = window();
    all.insert(all.end(),
               {{"bits", bits}, {"map_bits", map_bits}, {"scale", scale}, {"map_scale", map_scale}});
    return all;
  }
  std::string text() const {
    return x.text() + " by " + w.text() + " strides " + strides.text() + " dilation " + dilation.text() +
           " groups " + std::to_string(groups) + " bits " + std::to_string(bits) + scale + " " +
           std::to_string(map_bits) + map_scale;
  }
};

// Sums of signs, slice by slice, in float64.
template <class T>
std::vector<T> quantized(const std::vector<T>& x, size_t slices, int64_t levels, bool scaled) {
  std::vector<T> y(x.size());
  size_t n = x.size() / slices;
  for (size_t s = 0; s < slices; ++s) {
    std::vector<double> rest(x.begin() + static_cast<std::ptrdiff_t>(s * n),
                             x.begin() + static_cast<std::ptrdiff_t>((s + 1) * n)),
        sum(n, 0.0);
    for (int64_t level = 0; level < levels; ++level) {
      double mean = 0;
      for (double v : rest) mean += std::abs(v);
      mean = scaled ? mean / static_cast<double>(n) : 1;
      for (size_t i = 0; i < n; ++i) {
        double b = rest[i] > 0 ? mean : -mean;
        sum[i] += b, rest[i] -= b;
      }
    }
    for (size_t i = 0; i < n; ++i) y[s * n + i] = static_cast<T>(sum[i]);
  }
  return y;
}

template <class T>
Tensor tensor(Shape s, const std::vector<T>& v) {
  return Tensor::of<T>(std::move(s), std::span<const T>(v));
}
template <class T>
std::vector<T> numbers(const Value& v) {
  return {v.data.data<T>(), v.data.data<T>() + v.data.elements()};
}

template <class T>
void expect_near(const std::vector<T>& got, const std::vector<T>& want, double tolerance, const char* what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  double size = 1e-3;
  for (T x : want) size = std::max(size, std::abs(static_cast<double>(x)));
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * size) << what << " at " << i;
}

template <class T>
void check(const Case& c, int64_t rows, const RunOptions& options = {}) {
  SCOPED_TRACE(c.text() + ", " + std::to_string(rows) + " rows");
  DType dtype = dtype_of<T>;
  double tolerance = dtype == DType::float64 ? 1e-12 : 1e-5;
  std::vector<T> x = noise<T>(rows * c.x.elements(), 1), w = noise<T>(c.w.elements(), 7);
  for (T& v : x) v *= 2 * static_cast<T>(c.bits);  // some beyond the border of the gradient
  for (T& v : w) v *= 2;
  x[0] = 0, w[0] = 0;
  std::string scale = c.scale, map_scale = c.map_scale;
  std::vector<T> xq = quantized(x, static_cast<size_t>(rows), c.bits, scale != "none");
  std::vector<T> wq =
      quantized(w, map_scale == "filter" ? static_cast<size_t>(c.w[0]) : 1, c.map_bits, map_scale != "none");

  auto run = [&](const char* op, const std::vector<T>& xs, const std::vector<T>& ws,
                 const std::vector<NamedAttribute>& attributes, std::vector<Value>& values) {
    Variable in = input(c.x, {.dtype = dtype, .needs_gradient = true}),
             p = parameter(c.w, tensor(c.w, ws), dtype);
    Function y = call(op, {p, in}, attributes);
    std::vector<T> r = noise<T>(rows * y.output().shape().elements(), 2);
    Variable weights = input(y.output().shape(), {.dtype = dtype});
    Function loss = call("element_times", {y, weights});
    Feeds feeds{{in, Value::batch(tensor(Shape{rows} + c.x, xs))},
                {weights, Value::batch(tensor(Shape{rows} + y.output().shape(), r))}};
    auto [in_training, gradients] = loss.grad(feeds, {in, p}, {y}, options);
    values = std::move(gradients);
    values.push_back(y.eval({feeds[0]}, options));
    values.push_back(in_training[0]);
  };
  std::vector<Value> got, want;
  run("binary_convolve", x, w, c.attributes(), got);
  run("convolution", xq, wq, c.window(), want);
  expect_near(numbers<T>(got[2]), numbers<T>(want[2]), tolerance, "y");
  expect_near(numbers<T>(got[3]), numbers<T>(want[2]), tolerance, "y in training");
  std::vector<T> dx = numbers<T>(want[0]), dw = numbers<T>(want[1]);
  for (size_t i = 0; i < dx.size(); ++i) dx[i] = std::abs(x[i]) <= static_cast<T>(c.bits) ? dx[i] : 0;
  for (size_t i = 0; i < dw.size(); ++i) dw[i] = std::abs(w[i]) <= static_cast<T>(c.map_bits) ? dw[i] : 0;
  expect_near(numbers<T>(got[0]), dx, tolerance, "dx");
  expect_near(numbers<T>(got[1]), dw, tolerance * 4, "dw");
}

const std::vector<Case>& cases() {
  static const std::vector<Case> list{
      {{1, 7, 6}, {2, 1, 3, 3}},
      {{3, 9, 8}, {16, 3, 3, 3}, {1}, {0, 1, 1}, {1}, 1, 1, 1, "none", "none"},
      {{32, 6, 5}, {33, 32, 3, 3}, {1}, {0, 1, 1}},
      {{64, 7, 7}, {70, 64, 3, 3}, {1}, {0, 1, 1}, {1}, 1, 2, 1},
      {{33, 8, 8}, {20, 33, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1}, 1, 3, 2, "mean", "filter"},
      {{40, 9, 7}, {8, 40, 3, 2}, {1}, {0, 1, 1}, {1, 2, 3}, 1, 4, 1},
      {{64, 6, 6}, {48, 32, 3, 3}, {1}, {0, 1, 1}, {1}, 2, 1, 1, "mean", "filter"},
      {{66, 6, 6}, {9, 22, 3, 3}, {1, 2, 1}, {0, 1, 0}, {1}, 3, 2, 2},
      {{5, 9, 9}, {5, 1, 3, 3}, {1}, {0, 1, 1}, {1}, 5, 2, 1},
      {{100, 5, 5}, {35, 100, 1, 1}, {1}, {0}, {1}, 1, 1, 1, "none", "mean"},
      {{17, 23}, {18, 17, 5}, {1, 2}, {0, 1}, {1}, 1, 2, 1},
      {{3, 5, 6, 7}, {4, 3, 2, 3, 3}, {1, 1, 2, 2}, {0, 1, 1, 1}, {1}, 1, 1, 2},
      {{3, 6, 6}, {4, 3, 3, 3}, {1}, {0}, {1}, 1, 1, 1, "mean", "mean", {0, 2, 1}, {0, 0, 2}},
      {{36, 3, 3}, {24, 36, 3, 3}, {1}, {0, 1, 1}, {1, 2, 2}},  // no tap but the middle one lies inside
      {{12}, {5, 12}},
  };
  return list;
}

// Also on the other instruction sets: see tests/CMakeLists.txt.
TEST(Convolution, of_bits_is_that_of_what_they_stand_for) {
  for (const Case& c : cases()) {
    check<double>(c, 2);
    check<float>(c, 3);
  }
}

TEST(Convolution, of_bits_of_many_images) {
  check<float>(cases()[3], 19);
  check<float>(cases()[3], 19, RunOptions{.threads = 2});
  check<double>(cases()[5], 7, RunOptions{.threads = 2});
}

// What stands around it is done on blocks of its result, and images stay channels-last in between.
TEST(BinaryConvolution, stands_between_others) {
  Variable x = input({8, 9, 9}),
           w = parameter({24, 8, 3, 3}, tensor<float>({24, 8, 3, 3}, noise<float>(24 * 8 * 9, 3)));
  Variable v = parameter({40, 24, 3, 3}, tensor<float>({40, 24, 3, 3}, noise<float>(40 * 24 * 9, 4))),
           b = parameter({40, 1, 1}, tensor<float>({40, 1, 1}, noise<float>(40, 5)));
  Ints padding{0, 1, 1};
  auto network = [&](bool native) {
    Variable h = call("tanh", {call("convolution", {w, x}, {{"auto_padding", padding}})});
    Variable one = constant(Shape(), 1.0), two = constant(Shape(), 2.0);
    Variable y =
        native ? call("binary_convolve", {v, h}, {{"auto_padding", padding}, {"bits", int64_t{2}}}).output()
               : call("convolution",
                      {call("multibit", {v, one}), call("multibit", {h, two}, {{"levels", int64_t{2}}})},
                      {{"auto_padding", padding}})
                     .output();
    return call("convolution", {parameter({4, 40, 1, 1}, 0.1), call("relu", {call("plus", {y, b})})},
                {{"auto_padding", Ints{0, 0, 0}}});
  };
  Feeds feeds{{x, Value::batch(tensor<float>({5, 8, 9, 9}, noise<float>(5 * 8 * 81, 6)))}};
  std::vector<float> want = numbers<float>(network(false).eval(feeds)),
                     got = numbers<float>(network(true).eval(feeds));
  expect_near(got, want, 1e-5, "y");
}

TEST(BinaryConvolution, follows_its_parameters) {
  Variable x = input({4, 5}), w = parameter({3, 4, 3}, tensor<float>({3, 4, 3}, noise<float>(36, 3)));
  Function y = call("binary_convolve", {w, x}, {{"auto_padding", Ints{0, 1}}});
  Feeds feeds{{x, Value::batch(tensor<float>({1, 4, 5}, noise<float>(20, 6)))}};
  std::vector<float> before = numbers<float>(y.eval(feeds)), other = noise<float>(36, 3);
  for (float& v : other) v = -v;
  w.set_value(tensor<float>({3, 4, 3}, other));
  std::vector<float> after = numbers<float>(y.eval(feeds));
  for (size_t i = 0; i < before.size(); ++i) EXPECT_FLOAT_EQ(-before[i], after[i]);
}

template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(BinaryConvolution, wrong_use_is_named) {
  Variable x = input({4, 5, 5}), w = parameter({3, 4, 3, 3}, 0.1);
  auto fails = [&](std::vector<NamedAttribute> attributes, const char* text) {
    std::string m = message([&] { call("binary_convolve", {w, x}, attributes); });
    EXPECT_NE(std::string::npos, m.find(text)) << m;
  };
  fails({{"bits", int64_t{0}}}, "the number of levels must be from 1 to 32, and is 0");
  fails({{"map_bits", int64_t{33}}}, "the number of levels must be from 1 to 32, and is 33");
  fails({{"scale", "filter"}}, "there is no scale 'filter'");
  fails({{"bits", int64_t{2}}, {"scale", "none"}},
        "2 levels need means: without them all levels would have the same signs");
  fails({{"groups", int64_t{2}}}, "groups: number of output channels must be divisble by groups");
  EXPECT_NE(std::string::npos, message([&] {
                                 call("binary_convolve", {parameter({3, 9, 3, 3}, 0.1), x});
                               }).find("kernel dim 9"));
  EXPECT_NE(std::string::npos,
            message([&] {
              call("multibit", {x, constant({2, 2}, 1.0)});
            }).find("the bit map has the shape [2, 2], but the operand has the shape [4, 5, 5]"));
  EXPECT_NE(std::string::npos, message([&] {
                                 call("multibit", {x, input(Shape())});
                               }).find("the bit map must not have a batch axis"));
}

}  // namespace
