// How results of convolutions and of pooling are divided: each pixel once, by equal work, lines side by side.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "backends/cpu/convolution_plan.h"

using namespace cantik;
using namespace cantik::cpu;

namespace {

Window window_of(std::vector<int64_t> kernel, std::vector<int64_t> stride, bool pads) {
  const size_t n = kernel.size();
  return {.kernel = std::move(kernel),
          .stride = std::move(stride),
          .dilation = std::vector<int64_t>(n, 1),
          .lower = std::vector<int64_t>(n, 0),
          .upper = std::vector<int64_t>(n, 0),
          .automatic = std::vector<int64_t>(n, pads ? 1 : 0)};
}

struct Divided {
  Window window;
  std::vector<int64_t> in;
  std::vector<int64_t> out() const {
    std::vector<int64_t> sizes;
    for (int a = 0; a < window.rank(); ++a)
      sizes.push_back(window.result_size(a, in[static_cast<size_t>(a)]));
    return sizes;
  }
};

std::vector<Divided> divided() {
  return {{window_of({3, 3}, {1, 1}, true), {8, 8}},           {window_of({3, 3}, {2, 2}, true), {17, 9}},
          {window_of({5, 3}, {1, 2}, false), {9, 31}},         {window_of({3}, {1}, true), {50}},
          {window_of({3, 3, 3}, {1, 1, 2}, true), {4, 5, 12}}, {window_of({1, 1}, {3, 3}, false), {7, 7}},
          {window_of({4, 4}, {4, 4}, false), {64, 4}}};
}

// The pixels that the units begin .. end write, counted over all images.
std::vector<int64_t> written(const ConvolutionPlan& plan, int64_t begin, int64_t end, int64_t images) {
  std::vector<int64_t> pixels;
  plan.parts(begin, end, plan.units(images), images, 3,
             [&](int64_t image, int64_t count, int64_t first, int64_t last) {
               EXPECT_TRUE(count == 1 || (first == 0 && last == plan.lines()));
               for (const PixelClass& c : plan.classes()) {
                 const PixelBox box = plan.box(c, first, last);
                 plan.pixels(c, box, 0, count * box.pixels(),
                             [&](int64_t n, int64_t, int64_t, int64_t out, int64_t step) {
                               for (int64_t i = 0; i < n; ++i)
                                 pixels.push_back(image * plan.out_pixels() + out + i * step);
                             });
               }
             });
  return pixels;
}

TEST(ConvolutionPlan, units_have_each_pixel_once) {
  for (const Divided& c : divided())
    for (bool adjoint : {false, true})
      for (int64_t images : {1, 2, 7, 40}) {
        ConvolutionPlan plan(c.window, adjoint ? c.out() : c.in, adjoint ? c.in : c.out(), adjoint, 16, 16);
        const int64_t units = plan.units(images);
        ASSERT_GT(units, 0);
        for (int64_t shares : {int64_t{1}, int64_t{2}, int64_t{3}, units}) {
          std::multiset<int64_t> all;
          for (int64_t i = 0; i < shares; ++i)
            for (int64_t pixel : written(plan, units * i / shares, units * (i + 1) / shares, images))
              all.insert(pixel);
          ASSERT_EQ(images * plan.out_pixels(), static_cast<int64_t>(all.size()));
          EXPECT_EQ(0, *all.begin());
          EXPECT_EQ(images * plan.out_pixels() - 1, *all.rbegin());
          EXPECT_EQ(all.size(), std::set<int64_t>(all.begin(), all.end()).size());
        }
      }
}

TEST(ConvolutionPlan, a_unit_of_an_image_has_neighbouring_lines) {
  ConvolutionPlan plan(window_of({3, 3}, {1, 1}, true), {8, 8}, {8, 8}, false, 16, 16);
  EXPECT_TRUE(plan.has_close_lines());
  const int64_t units = plan.units(1);
  for (int64_t pixel : written(plan, 0, units / 2, 1)) EXPECT_LT(pixel, 32);
  EXPECT_EQ(32u, written(plan, 0, units / 2, 1).size());
  ConvolutionPlan wide(window_of({3, 3}, {1, 1}, true), {4, 8}, {4, 8}, false, 16, 16);
  EXPECT_FALSE(wide.has_close_lines());
  for (int64_t pixel : written(wide, 0, wide.units(1) / 2, 1)) EXPECT_LT(pixel % 8, 4);
}

}  // namespace
