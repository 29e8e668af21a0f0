// Distributions, dropout and sampling against numbers that CNTK 2.7 drew.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "random_helpers.h"
#include "tensor/random.h"
#include "tensor/random_sample.h"

namespace cantik {
namespace {

const Golden kGoldens[] = {
#include "../golden/random_draws.inc"
};

template <class T>
void expect_golden(const Golden& g) {
  std::string what = g.what;
  const std::vector<double>& p = g.parameters;
  std::vector<T> numbers(g.count);
  std::span<T> out = numbers;
  RandomStream stream(static_cast<uint64_t>(p[0]), what == "normal_by_7_from_160" ? 160 : 0);
  if (what == "uniform")
    stream.uniform(out, p[1], p[2]);
  else if (what == "normal")
    stream.normal(out, p[1], p[2]);
  else if (what == "gumbel")
    stream.gumbel(out, p[1], p[2]);
  else if (what == "bernoulli")
    stream.bernoulli(out, p[1]);
  else if (what == "dropout")
    stream.dropout_mask(out, p[1]);
  else if (what.starts_with("normal_by_7"))
    for (size_t i = 0; i < g.count; i += 7) stream.normal(out.subspan(i, 7), 0, 1);
  if constexpr (std::is_same_v<T, float>) {
    std::vector<float> weights(50);
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 7) + 0.5f;
    if (what == "frequency") inclusion_frequencies<float>(stream, weights, 20, p[1] != 0, out);
    if (what == "sample") {
      std::vector<int32_t> picked(40);
      std::vector<double> sums = sums_of_weights<float>(weights);
      sample_classes(stream, sums, p[1] != 0, std::span(picked).first(20));
      sample_classes(stream, sums, p[1] != 0, std::span(picked).last(20));
      std::copy(picked.begin(), picked.end(), out.begin());
    }
  }
  Tensor t = Tensor::of<T>({static_cast<int64_t>(g.count)}, out);
  EXPECT_DOUBLE_EQ(t.at(t.elements() - 1), g.last) << what;
  if (what == "gumbel" && g.dtype == DType::float64) return;  // the last bits of log are the system's
  EXPECT_EQ(hash_of(t), g.hash) << what << ", " << name_of(g.dtype) << ", seed " << p[0];
}

TEST(Golden, DrawsWhatCntkDrew) {
  for (const Golden& g : kGoldens) {
    if (g.dtype == DType::float32) expect_golden<float>(g);
    if (g.dtype == DType::float64) expect_golden<double>(g);
    if (g.dtype == DType::float16) expect_golden<Half>(g);
  }
}

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
