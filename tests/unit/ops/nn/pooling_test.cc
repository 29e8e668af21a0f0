// Poolings and their gradients against direct loops and CNTK 2.7, and their errors.
#include <gtest/gtest.h>

#include <cantik/error.h>
#include <cantik/function.h>

#include "cpu_helpers.h"
#include "images.h"

using namespace cantik;
using namespace cantik::support;

namespace {

TEST(Pooling, agrees_with_cntk) {
  for (const GoldenPooling& c : kPoolings) {
    SCOPED_TRACE(Shape(c.x).text() + " pooled by " + Shape(c.window).text() + (c.kind ? " average" : " max"));
    Variable x = input(Shape(c.x), {.dtype = DType::float64, .needs_gradient = true});
    Function y = call("pooling", {x},
                      {{"pooling_type", c.kind},
                       {"pooling_window_shape", Shape(c.window)},
                       {"strides", Shape(c.strides)},
                       {"auto_padding", c.padding},
                       {"ceil_out_dim", c.ceil},
                       {"include_pad", c.include_pad}});
    ASSERT_EQ(Shape(c.y), y.output().shape());
    auto got = values_and_gradients(y, x, {x});
    expect_near(got[0], c.values, 1e-14, "y");
    expect_near(got[1], c.dx, 1e-14, "dx");
  }
}

TEST(Pooling, gives_the_gradient_to_the_first_of_equal_numbers) {
  Variable x = input({1, 2, 4}, {.needs_gradient = true});
  Function y = pooled(x, 0, {2, 2}, {2, 2});
  Value v = Value::batch(Tensor::of<float>({1, 1, 2, 4}, {0, 0, 3, 1, 0, 0, 3, 3}));
  EXPECT_EQ(numbers<float>(y.grad({{x, v}}, {x})[0]), (std::vector<float>{1, 0, 1, 0, 0, 0, 0, 0}));
}

TEST(Pooling, of_many_channels_and_images) {
  for (int64_t kind : {0, 1})
    for (int64_t channels : {1, 15, 32, 50}) {
      Variable x = input({channels, 7, 6}, {.needs_gradient = true});
      Function y = pooled(x, kind, {3, 3}, {2, 2}, {0, 1, 0});
      std::vector<float> data = noise<float>(5 * channels * 42, 3);
      Value v = Value::batch(tensor(Shape{5, channels, 7, 6}, data));
      std::vector<float> got = numbers<float>(y.eval({{x, v}})),
                         dx = numbers<float>(y.grad({{x, v}}, {x})[0]), want, want_dx(data.size());
      for (int64_t image = 0; image < 5 * channels; ++image)
        for (int64_t i = 0; i < 4; ++i)
          for (int64_t j = 0; j < 2; ++j) {
            float best = -1e9f, sum = 0;
            int64_t at = -1, count = 0;
            for (int64_t r = std::max<int64_t>(0, 2 * i - 1); r < std::min<int64_t>(7, 2 * i + 2); ++r)
              for (int64_t c = 2 * j; c < 2 * j + 3; ++c) {
                float value = data[static_cast<size_t>(image * 42 + r * 6 + c)];
                if (value > best) best = value, at = image * 42 + r * 6 + c;
                sum += value, ++count;
              }
            want.push_back(kind ? sum / static_cast<float>(count) : best);
            if (!kind)
              want_dx[static_cast<size_t>(at)] += 1;
            else
              for (int64_t r = std::max<int64_t>(0, 2 * i - 1); r < std::min<int64_t>(7, 2 * i + 2); ++r)
                for (int64_t c = 2 * j; c < 2 * j + 3; ++c)
                  want_dx[static_cast<size_t>(image * 42 + r * 6 + c)] += 1 / static_cast<float>(count);
          }
      for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(want[i], got[i], 1e-6);
      for (size_t i = 0; i < want_dx.size(); ++i) ASSERT_NEAR(want_dx[i], dx[i], 1e-6);
    }
}

TEST(Pooling, says_what_is_wrong) {
  Variable x = input({4, 9, 9});
  EXPECT_EQ(ErrorKind::value, failure([&] { pooled(x, 0, {10, 10}, {1}); }).kind());
  EXPECT_EQ(ErrorKind::value, failure([&] { pooled(x, 0, {2, 2, 2, 2}, {1}); }).kind());
  EXPECT_EQ(ErrorKind::value, failure([&] { pooled(x, 0, {3, 3}, {2, 2, 2, 2}); }).kind());
  EXPECT_EQ(ErrorKind::value, failure([&] { pooled(x, 7, {3, 3}, {2, 2}); }).kind());
  EXPECT_EQ(ErrorKind::value, failure([&] { pooled(x, 0, {0, 3}, {2, 2}); }).kind());
  auto unpool = [&](Shape shape, int64_t kind) {
    return call(
        "unpooling", {input(shape), x},
        {{"unpooling_type", kind}, {"unpooling_window_shape", Shape{3, 3}}, {"strides", Shape{3, 3}}});
  };
  EXPECT_EQ(ErrorKind::runtime, failure([&] { unpool({4, 3, 4}, 0); }).kind());
  EXPECT_EQ(ErrorKind::runtime, failure([&] { unpool({4, 3, 3}, 1); }).kind());
}

}  // namespace
