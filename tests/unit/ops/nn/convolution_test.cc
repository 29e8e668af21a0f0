// Convolutions and their gradients against direct loops and CNTK 2.7, and their errors.
#include <gtest/gtest.h>

#include <cantik/error.h>
#include <cantik/function.h>

#include "cpu_helpers.h"
#include "images.h"
#include "graph/node.h"

using namespace cantik;
using namespace cantik::support;

namespace {

// A convolution written down: axes padded in front to three.
struct Direct {
  int64_t channels, filters, groups;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1},
          dilation[3] = {1, 1, 1}, pad[3] = {0, 0, 0};

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
                    int64_t i0 = o0 * stride[0] - pad[0] + t0 * dilation[0],
                            i1 = o1 * stride[1] - pad[1] + t1 * dilation[1],
                            i2 = o2 * stride[2] - pad[2] + t2 * dilation[2];
                    if (i0 < 0 || i1 < 0 || i2 < 0 || i0 >= in[0] || i1 >= in[1] || i2 >= in[2]) continue;
                    f(((m * out[0] + o0) * out[1] + o1) * out[2] + o2,
                      (((m / fg * cg + c) * in[0] + i0) * in[1] + i1) * in[2] + i2,
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
      int64_t size = automatic
                         ? (d.in[at] + d.stride[at] - 1) / d.stride[at]
                         : (d.in[at] + along(lower, i, 0) + along(upper, i, 0) - reach) / d.stride[at] + 1;
      EXPECT_EQ(size, d.out[at]) << "axis " << i;
      d.pad[at] =
          automatic ? (reach - 1) / 2 - (d.in[at] - (size - 1) * d.stride[at] - 1) / 2 : along(lower, i, 0);
    }
    return d;
  }
  std::string text() const {
    return x.text() + " by " + w.text() + " strides " + strides.text() + " dilation " + dilation.text() +
           " groups " + std::to_string(groups);
  }
};

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
                    {{"strides", c.strides},
                     {"auto_padding", c.padding},
                     {"dilation", c.dilation},
                     {"groups", c.groups},
                     {"lower_pad", c.lower},
                     {"upper_pad", c.upper}});
  Direct d = c.direct(y.output().shape());
  ASSERT_EQ(d.out_size(), y.output().shape().elements());
  std::vector<T> x_data = noise<T>(rows * d.in_size(), 1), r_data = noise<T>(rows * d.out_size(), 2);
  Variable r = input(y.output().shape(), {.dtype = dtype});
  Function loss = call("element_times", {y, r});
  Feeds feeds{{x, Value::batch(tensor(Shape{rows} + c.x, x_data))},
              {r, Value::batch(tensor(Shape{rows} + y.output().shape(), r_data))}};
  std::vector<double> want_y(static_cast<size_t>(rows * d.out_size())),
      want_dx(static_cast<size_t>(rows * d.in_size())), want_dw(static_cast<size_t>(d.kernel_size()));
  for (int64_t n = 0; n < rows; ++n)
    d.each([&](int64_t o, int64_t i, int64_t k) {
      size_t out = static_cast<size_t>(n * d.out_size() + o), in = static_cast<size_t>(n * d.in_size() + i),
             kernel = static_cast<size_t>(k);
      want_y[out] += static_cast<double>(x_data[in]) * w_data[kernel];
      want_dx[in] += static_cast<double>(r_data[out]) * w_data[kernel];
      want_dw[kernel] += static_cast<double>(r_data[out]) * x_data[in];
    });
  expect_near(numbers<T>(y.eval({feeds[0]}, options)), want_y, tolerance, "y");
  const auto [values, g] = loss.grad(feeds, {x, w}, {y}, options);
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
      // Each channel by itself: some vectors and a rest; one, two and three filters for each.
      {{67, 9, 10}, {67, 1, 3, 3}, {1}, {0, 1, 1}, {1}, 67},
      {{32, 14, 13}, {32, 1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1}, 32},
      {{48, 9, 8}, {48, 1, 4, 5}, {1, 2, 1}, {0, 0, 1}, {1}, 48},
      {{19, 11, 12}, {19, 1, 3, 2}, {1}, {0, 1, 1}, {1, 2, 3}, 19},
      {{35, 8, 9}, {70, 1, 3, 3}, {1}, {0, 1, 1}, {1}, 35},
      {{24, 9, 9}, {48, 1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1}, 24},
      {{13, 10, 7}, {26, 1, 2, 3}, {1, 3, 2}, {0}, {1, 2, 1}, 13, {0, 1, 2}, {0, 0, 1}},
      {{2, 6, 6}, {2, 1, 3, 3}, {1, 3, 3}, {0, 1, 1}, {1, 2, 2}, 2},
      {{3, 7, 5}, {6, 1, 7, 5}, {1}, {0, 1, 1}, {1}, 3},
      {{9, 5, 4}, {27, 1, 3, 3}, {1}, {0, 1, 1}, {1}, 9},
      {{17, 4, 5, 6}, {34, 1, 2, 3, 3}, {1, 1, 2, 1}, {0, 1, 1, 1}, {1}, 17},
      {{21, 17}, {21, 1, 5}, {1, 2}, {0, 1}, {1}, 21},
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

TEST(Convolution, agrees_with_cntk) {
  for (const GoldenConvolution& c : kConvolutions) {
    SCOPED_TRACE(Shape(c.x).text() + " by " + Shape(c.w).text() + (c.transpose ? " transposed" : ""));
    Variable x = input(Shape(c.x), {.dtype = DType::float64, .needs_gradient = true});
    Variable w = parameter(Shape(c.w), tensor(Shape(c.w), ramp(Shape(c.w).elements(), 2)), DType::float64);
    Function y = call("convolution", {w, x},
                      {{"strides", Shape(c.strides)},
                       {"auto_padding", c.padding},
                       {"groups", c.groups},
                       {"reduction_rank", c.reduction_rank},
                       {"transpose", c.transpose},
                       {"output_shape", Shape(c.output_shape)}});
    ASSERT_EQ(Shape(c.y), y.output().shape());
    auto got = values_and_gradients(y, x, {x, w});
    expect_near(got[0], c.values, 1e-14, "y");
    expect_near(got[1], c.dx, 1e-14, "dx");
    expect_near(got[2], c.dw, 1e-14, "dw");
  }
}

TEST(Convolution, says_what_is_wrong) {
  auto convolve = [](Shape w, Shape x, std::vector<NamedAttribute> a = {}) {
    return call("convolution", {parameter(w, 0.0), input(x)}, a);
  };
  Error e = failure([&] { convolve({4, 3, 9, 9}, {3, 8, 8}, {{"auto_padding", Ints{0}}}); });
  EXPECT_EQ(ErrorKind::value, e.kind());
  EXPECT_NE(std::string(e.what()).find("Convolution operation requires that kernel dim 9 <= input dim 8."),
            std::string::npos)
      << e.what();
  e = failure([&] { convolve({4, 3, 3, 3}, {2, 8, 8}); });
  EXPECT_EQ(ErrorKind::value, e.kind());
  EXPECT_NE(std::string(e.what()).find("Convolution operation requires that kernel dim 3 <= input dim 2."),
            std::string::npos)
      << e.what();
  EXPECT_EQ(ErrorKind::shape, failure([&] { convolve({4, 2, 3, 3}, {3, 8, 8}); }).kind());
  EXPECT_EQ(ErrorKind::value,
            failure([&] { convolve({4, 3, 3, 3}, {3, 8, 8}, {{"strides", Shape{1, 1, 2, 2}}}); }).kind());
  EXPECT_EQ(ErrorKind::value, failure([&] { convolve({3, 3}, {3, 8, 8}); }).kind());
  EXPECT_EQ(ErrorKind::value,
            failure([&] { convolve({4, 3, 3, 3}, {3, 8, 8}, {{"strides", Shape{0}}}); }).kind());
  for (auto [name, text] : {std::pair{3, "groups: number of output channels must be divisble by groups."},
                            {2,
                             "groups: number of input channels (C) must be equal to number of input kernel "
                             "channels (kC) * groups (G)."},
                            {0, "groups: Must be strictly positive, i.e. groups > 0."}}) {
    e = failure([&] { convolve({4, 3, 3, 3}, {4, 8, 8}, {{"groups", name}}); });
    EXPECT_EQ(ErrorKind::runtime, e.kind());
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
  e = failure([&] { convolve({4, 3, 3, 3}, {3, 8, 8}, {{"reduction_rank", 2}}); });
  EXPECT_EQ(ErrorKind::runtime, e.kind());
  EXPECT_NE(std::string(e.what()).find("reductionRank: must be 1 or 0."), std::string::npos);
  // no steps to go over
  EXPECT_EQ(ErrorKind::value,
            failure([&] { convolve({4, 3, 3, 3}, {3, 8, 8}, {{"sequential", true}}); }).kind());
  EXPECT_EQ(ErrorKind::unsupported, failure([&] {
                                      convolve({4, 3, 3, 3}, {3, 8, 8},
                                               {{"sequential", true}, {"transpose", true}});
                                    }).kind());
  EXPECT_EQ(ErrorKind::unsupported,
            failure([&] { convolve({4, 3, 3, 3}, {3, 8, 8}, {{"sharing", Ints{1, 0}}}); }).kind());
  EXPECT_EQ(ErrorKind::unsupported,
            failure([&] { convolve({4, 3, 3, 3}, {3, 8, 8}, {{"sharing", Ints{0}}}); }).kind());
  EXPECT_EQ(ErrorKind::value,
            failure([&] { convolve({4, 3, 3, 3}, {3, 8, 8}, {{"dilation", Shape{2, 1, 1, 1}}}); }).kind());
  // The transposed one: a result that convolved would not give the operand back.
  for (Shape shape : {Shape{5, 19, 19}, Shape{6, 18, 18}, Shape{5, 2, 2}})
    EXPECT_EQ(ErrorKind::runtime,
              failure([&] {
                convolve({4, 5, 3, 3}, {4, 9, 9},
                         {{"transpose", true}, {"strides", Shape{1, 2, 2}}, {"output_shape", shape}});
              }).kind())
        << shape.text();
}

// As in CNTK: channels have one position, and a dilation may begin with ones for axes that are not there.
TEST(Convolution, takes_what_changes_nothing) {
  Variable x = input({3, 8, 8});
  Variable w = parameter({4, 3, 3, 3}, tensor(Shape{4, 3, 3, 3}, noise<float>(108, 1)), DType::float32);
  const Feeds feeds{{x, Value::batch(tensor(Shape{2, 3, 8, 8}, noise<float>(384, 2)))}};
  auto convolved = [&](std::vector<NamedAttribute> more) {
    more.push_back({"auto_padding", Ints{0}});
    return numbers<float>(call("convolution", {w, x}, more).eval(feeds));
  };
  const std::vector<float> want = convolved({});
  EXPECT_EQ(want, convolved({{"sharing", Ints{0, 1, 1}}}));
  EXPECT_EQ(want, convolved({{"dilation", Shape{1, 1, 1, 1}}}));
  EXPECT_EQ(convolved({{"dilation", Shape{1, 2, 3}}}), convolved({{"dilation", Shape{1, 1, 1, 2, 3}}}));
}

// Filters whose channels are inferred leave alone what flags and steps do not name, and keep it; filters of
// known channels have the same numbers for all axes. Shapes are those of CNTK 2.7, which runs the first
// alone, too.
TEST(Convolution, pads_channels_where_flags_and_steps_say_so) {
  Variable x = input({3, 9, 9});
  const Feeds feeds{{x, Value::batch(tensor(Shape{1, 3, 9, 9}, noise<float>(243, 2)))}};
  auto convolved = [&](int64_t channels, const Ints& padding, const Shape& strides) {
    Variable w = parameter({8, channels, 3, 3}, 0.1);
    return call("convolution", {w, x}, {{"auto_padding", padding}, {"strides", strides}});
  };
  const std::vector<float> plain = numbers<float>(convolved(3, {0, 1, 1}, {1}).eval(feeds));
  for (const Shape& strides : {Shape{1}, Shape{1, 1}, Shape{1, 1, 1}})
    for (const Ints& padding : {Ints{1}, Ints{1, 1}}) {
      const Function z = convolved(kInferred, padding, strides);
      EXPECT_EQ((Shape{8, 9, 9}), z.output().shape());
      EXPECT_EQ(plain, numbers<float>(z.eval(feeds)));
      const Function copy = z.clone(CloneMethod::clone, {{x, x}});
      EXPECT_EQ(plain, numbers<float>(copy.eval(feeds)));
      const Function known = convolved(3, padding, strides);
      EXPECT_EQ((Shape{24, 9, 9}), known.output().shape());
      EXPECT_EQ(ErrorKind::unsupported, failure([&] { known.eval(feeds); }).kind());
    }
  EXPECT_EQ((Shape{8, 9, 7}), convolved(kInferred, {1, 0}, {1}).output().shape());
  EXPECT_EQ((Shape{8, 9, 9}), convolved(kInferred, {1, 1, 1}, {1}).output().shape());
  EXPECT_EQ((Shape{24, 9, 9}), convolved(kInferred, {1, 1, 1}, {1, 1, 1}).output().shape());
  EXPECT_EQ((Shape{16, 5, 5}), convolved(3, {1}, {2}).output().shape());
  EXPECT_EQ((Shape{8, 9, 9}), convolved(3, {1}, {3, 1, 1}).output().shape());
  EXPECT_EQ(plain, numbers<float>(convolved(3, {1}, {3, 1, 1}).eval(feeds)));
}

TEST(Convolution, infers_the_channels_of_its_map) {
  Variable x = input({6, 8, 8}), w = parameter({4, kInferred, 3, 3}, 0.0),
           grouped = parameter({4, kInferred, 3, 3}, 0.0), back = parameter({kInferred, 5, 3, 3}, 0.0);
  EXPECT_EQ((Shape{4, 8, 8}),
            call("convolution", {w, x}, {{"auto_padding", Ints{0, 1, 1}}}).output().shape());
  EXPECT_EQ((Shape{4, 6, 3, 3}), w.shape());
  EXPECT_EQ((Shape{4, 6, 6}),
            call("convolution", {grouped, x}, {{"auto_padding", Ints{0}}, {"groups", 2}}).output().shape());
  EXPECT_EQ((Shape{4, 3, 3, 3}), grouped.shape());
  EXPECT_EQ((Shape{5, 17, 17}),
            call("convolution", {back, input({4, 9, 9})},
                 {{"transpose", true}, {"strides", Shape{1, 2, 2}}, {"auto_padding", Ints{0, 1, 1}}})
                .output()
                .shape());
  EXPECT_EQ((Shape{4, 5, 3, 3}), back.shape());
}

TEST(Convolution, of_free_dimensions) {
  Variable x = input({3, kFree, kFree}, {.needs_gradient = true}),
           w = parameter({4, 3, 3, 3}, glorot_uniform());
  Variable fixed = input({3, 6, 5}, {.needs_gradient = true});
  Function y = call("convolution", {w, x}, {{"auto_padding", Ints{0, 1, 1}}, {"strides", Shape{1, 2, 1}}}),
           z = call("convolution", {w, fixed},
                    {{"auto_padding", Ints{0, 1, 1}}, {"strides", Shape{1, 2, 1}}});
  EXPECT_EQ((Shape{4, kFree, kFree}), y.output().shape());
  Value v = Value::batch(tensor(Shape{2, 3, 6, 5}, noise<float>(180, 4)));
  EXPECT_EQ(numbers<float>(y.eval({{x, v}})), numbers<float>(z.eval({{fixed, v}})));
  EXPECT_EQ(numbers<float>(y.grad({{x, v}}, {x})[0]), numbers<float>(z.grad({{fixed, v}}, {fixed})[0]));
  Function p = pooled(x, 0, {2, 2}, {2, 2}), q = pooled(fixed, 0, {2, 2}, {2, 2});
  EXPECT_EQ(numbers<float>(p.grad({{x, v}}, {x})[0]), numbers<float>(q.grad({{fixed, v}}, {fixed})[0]));
}

// A row's bits do not depend on the rows beside it nor on the number of threads.
TEST(Convolution, has_the_same_bits_in_any_batch_and_at_any_thread_count) {
  for (const Case& c : {cases()[1], cases()[2], cases()[3], cases()[4], cases()[6], cases()[13], cases()[14],
                        cases()[15], cases()[16], cases()[18], cases()[22], cases()[23]}) {
    SCOPED_TRACE(c.text());
    Variable x = input(c.x, {.needs_gradient = true}), w = parameter(c.w, glorot_uniform());
    Function y = call("convolution", {w, x},
                      {{"strides", c.strides},
                       {"auto_padding", c.padding},
                       {"dilation", c.dilation},
                       {"groups", c.groups}});
    Variable b = parameter({c.w[0], 1, 1}, 0.1);
    y = call("relu", {call("plus", {y, b})});
    Function p = pooled(y, 0, {2, 2}, {2, 2});
    const int64_t rows = 29, size = c.x.elements();
    std::vector<float> data = noise<float>(rows * size, 5);
    auto feed = [&](int64_t first, int64_t count) {
      return Value::batch(Tensor::of<float>(
          Shape{count} + c.x,
          std::span<const float>(data.data() + first * size, static_cast<size_t>(count * size))));
    };
    Value all = p.eval({{x, feed(0, rows)}}, RunOptions{.threads = 1});
    for (int threads : {2, 3}) {
      Value again = p.eval({{x, feed(0, rows)}}, RunOptions{.threads = threads});
      EXPECT_EQ(0, std::memcmp(all.data.raw(), again.data.raw(), all.data.bytes())) << threads << " threads";
    }
    for (auto [first, count] : {std::pair{0, 1}, {7, 1}, {28, 1}, {3, 4}, {10, 17}}) {
      Value some = p.eval({{x, feed(first, count)}});
      EXPECT_EQ(0,
                std::memcmp(some.data.raw(), all.data.data<float>() + first * p.output().shape().elements(),
                            some.data.bytes()))
          << "rows from " << first;
    }
    std::vector<Value> one = p.grad({{x, feed(0, rows)}}, {x, w, b}, RunOptions{.threads = 1}),
                       two = p.grad({{x, feed(0, rows)}}, {x, w, b}, RunOptions{.threads = 2});
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_EQ(0, std::memcmp(one[i].data.raw(), two[i].data.raw(), one[i].data.bytes()))
          << "gradient " << i;
  }
}

// Threads share out the lines of single images, also where what follows is no matter of tiles.
TEST(Convolution, of_few_images_has_the_same_bits_at_any_thread_count) {
  for (Shape shape :
       {Shape{16, 40, 24}, Shape{16, 24, 40}, Shape{16, 40, 40}, Shape{16, 900}, Shape{16, 6, 8, 24}})
    for (const char* activation : {"relu", "elu", "tanh"})
      for (int kind : {0, 1}) {
        SCOPED_TRACE(shape.text() + " " + activation);
        const int axes = shape.rank() - 1;
        Shape kernel{16, 16}, window;
        Ints padding{0};
        for (int i = 1; i <= axes; ++i) {
          kernel = kernel + Shape{3};
          window = window + Shape{2};
          padding.push_back(1);
        }
        Variable x = input(shape, {.needs_gradient = true}), w = parameter(kernel, glorot_uniform());
        Function y = call("convolution", {w, x}, {{"auto_padding", padding}});
        y = call(activation, {y});
        Function p = pooled(y, kind, window, window);
        for (int64_t rows : {1, 2, 3}) {
          Value v = Value::batch(tensor(Shape{rows} + shape, noise<float>(rows * shape.elements(), 6)));
          Value all = p.eval({{x, v}}, RunOptions{.threads = 1});
          std::vector<Value> one = p.grad({{x, v}}, {x, w}, RunOptions{.threads = 1});
          for (int threads : {2, 3, 7}) {
            Value again = p.eval({{x, v}}, RunOptions{.threads = threads});
            EXPECT_EQ(0, std::memcmp(all.data.raw(), again.data.raw(), all.data.bytes())) << threads;
            std::vector<Value> more = p.grad({{x, v}}, {x, w}, RunOptions{.threads = threads});
            for (size_t i = 0; i < one.size(); ++i)
              EXPECT_EQ(0, std::memcmp(one[i].data.raw(), more[i].data.raw(), one[i].data.bytes())) << i;
          }
        }
      }
}

}  // namespace
