// Samples of classes by weights: their draws, wrong use.
#include "tensor/random_sample.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "random_helpers.h"
#include "tensor/random.h"

namespace cantik {
namespace {

TEST(Sampling, CountsItsDraws) {
  std::vector<float> weights{1, 2, 3};
  std::vector<double> sums = sums_of_weights<float>(weights);
  EXPECT_EQ(sums, (std::vector<double>{1, 3, 6}));
  std::vector<int32_t> picked(2);
  RandomStream stream(1);
  uint64_t draws = 0;
  for (int i = 0; i < 100; ++i) {
    draws += static_cast<uint64_t>(sample_classes(stream, sums, false, picked));
    EXPECT_NE(picked[0], picked[1]);
  }
  EXPECT_GT(draws, 200u);  // some were drawn again
  EXPECT_EQ(stream.offset(), draws);
  EXPECT_EQ(sample_classes(stream, sums, true, picked), 2);
}

TEST(Sampling, RefusesWrongUse) {
  auto fails = [](std::string_view text, auto f) { expect_error(ErrorKind::value, text, f); };
  std::vector<float> out(5), negative{1, -2, 3}, zero{0, 0}, one_of_three{0, 1, 0};
  std::vector<int32_t> picked(2);
  RandomStream s(1);
  std::string name = "RandomSample/RandomSampleInclusionFrequency: ";
  fails(name + "Number of requested samples must be > 0.", [] { check_sample(0, 5, true); });
  fails(name +
            "For sampling without duplicates the number of requested samples (5) must be less than the "
            "number of classes (5).",
        [&] { inclusion_frequencies<float>(s, out, 5, false, out); });
  check_sample(7, 5, true);
  fails("Sampling weights contain negative number -2.000000.", [&] { sums_of_weights<float>(negative); });
  fails("RandomSample: the sum of the sampling weights must be above 0 and finite, and is 0",
        [&] { sums_of_weights<float>(zero); });
  fails("RandomSample: 2 different classes were asked for, but only 1 have a weight above 0",
        [&] { sample_classes(s, sums_of_weights<float>(one_of_three), false, picked); });
  EXPECT_EQ(sample_classes(s, sums_of_weights<float>(one_of_three), true, picked), 2);
  EXPECT_EQ(picked, (std::vector<int32_t>{1, 1}));
}

}  // namespace
}  // namespace cantik
