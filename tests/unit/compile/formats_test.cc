// Formats of images: what is computed with channels last.
#include <gtest/gtest.h>

#include <cantik/function.h>

#include "compile/pipeline.h"
#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

// Batch normalisation in training between convolutions turns no image; only what enters and what comes out
// is.
TEST(Formats, batch_normalisation_takes_channels_last) {
  Variable x = input({3, 8, 8}), w = parameter({16, 3, 3, 3}, 0.1), v = parameter({16, 16, 3, 3}, 0.1);
  Variable scale = parameter({16}, 1), bias = parameter({16}, 0), mean = constant({16}, 0),
           variance = constant({16}, 0);
  Function y = call("convolution", {w, x}, {{"auto_padding", std::vector<int64_t>{0, 1, 1}}});
  y = call("batch_normalization", {y, scale, bias, mean, variance}, {{"spatial", true}});
  y = call("convolution", {v, call("relu", {y})}, {{"auto_padding", std::vector<int64_t>{0, 1, 1}}});
  ir::Request r{{y}, {Variable(y)}, {w, v, scale, bias}, ir::Mode::training};
  ir::Graph g = ir::imported(r);
  std::string text;
  for (const PassReport& report : ir::run_passes_reported(g, r)) text = report.text;
  size_t sums = text.find("channel_sums("), products = text.find("channel_products(");
  ASSERT_NE(std::string::npos, sums) << text;
  ASSERT_NE(std::string::npos, products) << text;
  EXPECT_LE(count(text, "channels_first("), 1) << text;
  EXPECT_NE(std::string::npos, text.find("channels=16, pixels=64, last=True", sums)) << text;
}

TEST(Formats, images_that_are_turned_and_turned_back_stay) {
  Variable x = input({2, 6, 6}), w = parameter({3, 2, 3, 3}, 0.1), v = parameter({4, 3, 3, 3}, 0.1);
  auto conv = [](const Variable& filters, const Variable& of) {
    return call("convolution", {filters, of}, {{"auto_padding", std::vector<int64_t>{0, 1, 1}}});
  };
  const ir::Request r{{conv(v, call("relu", {conv(w, x)}))}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("finish", r),
            "in2 : float32[#, 2, 6, 6]\n"
            "p0 : float32[4, 3, 3, 3]\n"
            "p1 : float32[3, 2, 3, 3]\n"
            "%6 = turn_image(in2) : float32[#, 6, 6, 2]\n"
            "%7 = correlate(%6, p1, kernel=[3, 3], stride=[1, 1], dilation=[1, 1], lower=[0, 0], "
            "upper=[0, 0], automatic=[1, 1], last=True) : float32[#, 6, 6, 3]\n"
            "%8 = turn_image(%7, last=False) : float32[#, 3, 6, 6]\n"
            "%4 = max(0, %8) : float32[#, 3, 6, 6]\n"
            "%9 = turn_image(%4) : float32[#, 6, 6, 3]\n"
            "%10 = correlate(%9, p0, kernel=[3, 3], stride=[1, 1], dilation=[1, 1], lower=[0, 0], "
            "upper=[0, 0], automatic=[1, 1], last=True) : float32[#, 6, 6, 4]\n"
            "%11 = turn_image(%10, last=False) : float32[#, 4, 6, 6]\n"
            "return %11\n");
  EXPECT_EQ(after("formats", r),
            "in2 : float32[#, 2, 6, 6]\n"
            "p0 : float32[4, 3, 3, 3]\n"
            "p1 : float32[3, 2, 3, 3]\n"
            "%12 = turn_image(in2) : float32[#, 6, 6, 2]\n"
            "%7 = correlate(%12, p1, kernel=[3, 3], stride=[1, 1], dilation=[1, 1], lower=[0, 0], "
            "upper=[0, 0], automatic=[1, 1], last=True) : float32[#, 6, 6, 3]\n"
            "%13 = max(0, %7) : float32[#, 6, 6, 3]\n"
            "%10 = correlate(%13, p0, kernel=[3, 3], stride=[1, 1], dilation=[1, 1], lower=[0, 0], "
            "upper=[0, 0], automatic=[1, 1], last=True) : float32[#, 6, 6, 4]\n"
            "%11 = turn_image(%10, last=False) : float32[#, 4, 6, 6]\n"
            "return %11\n");
}

}  // namespace
