// Unpooling puts numbers where the largest stood.
#include <gtest/gtest.h>

#include <cantik/error.h>
#include <cantik/function.h>

#include "images.h"

using namespace cantik;
using namespace cantik::support;

namespace {

TEST(Unpooling, puts_numbers_where_the_largest_stood) {
  Variable from = input({1, 4, 4}), x = input({1, 2, 2}, {.needs_gradient = true});
  Value p = Value::batch(Tensor::of<float>({1, 1, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 3, 3, 8, 8, 3, 3})),
        v = Value::batch(Tensor::of<float>({1, 1, 2, 2}, {10, 20, 30, 40}));
  auto make = [&](Shape window, Shape strides) {
    return call("unpooling", {x, from},
                {{"unpooling_type", 0}, {"unpooling_window_shape", window}, {"strides", strides}});
  };
  Function y = make({2, 2}, {2, 2});
  EXPECT_EQ(numbers<float>(y.eval({{x, v}, {from, p}})),
            (std::vector<float>{0, 0, 0, 0, 0, 10, 0, 20, 30, 0, 40, 0, 0, 0, 0, 0}));
  // The last window of those that overlap counts, as in CNTK.
  EXPECT_EQ(numbers<float>(make({3, 3}, {1, 1}).eval({{x, v}, {from, p}})),
            (std::vector<float>{0, 0, 0, 0, 0, 0, 0, 40, 30, 0, 0, 0, 0, 0, 0, 0}));
  Variable r =
      constant(Tensor::of<float>({1, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}));
  EXPECT_EQ(numbers<float>(call("element_times", {y, r}).grad({{x, v}, {from, p}}, {x})[0]),
            (std::vector<float>{6, 8, 9, 11}));
}

}  // namespace
