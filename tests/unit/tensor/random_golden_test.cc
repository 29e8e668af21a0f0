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

const Golden kRandomGoldens[] = {
#include "golden/random_draws.inc"
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
  for (const Golden& g : kRandomGoldens) {
    if (g.dtype == DType::float32) expect_golden<float>(g);
    if (g.dtype == DType::float64) expect_golden<double>(g);
    if (g.dtype == DType::float16) expect_golden<Half>(g);
  }
}

}  // namespace
}  // namespace cantik
