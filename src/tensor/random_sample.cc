// Sampling by looking up uniform numbers among the running sums of the weights.
#include "tensor/random_vector.h"

#include "tensor/random_sample.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <cantik/error.h>

#include "base/crc64.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "tensor/random_ziggurat.h"

namespace cantik {
namespace {

constexpr int kSamplings = 10;  // CNTK's choice
constexpr int64_t kMostDraws = int64_t{1} << 26;
constexpr int64_t kMostSamples = int64_t{1} << 30;
constexpr int64_t kWorkOfADraw = 100;

// What cannot be reached would be drawn for ever.
void check_reachable(std::span<const double> sums, int64_t samples) {
  int64_t reachable = sums[0] > 0;
  for (size_t i = 1; i < sums.size(); ++i) reachable += sums[i] > sums[i - 1];
  if (reachable < samples)
    throw value_error(cat("RandomSample: ", samples, " different classes were asked for, but only ",
                          reachable, " have a weight above 0"));
}

}  // namespace

void check_sample(int64_t samples, int64_t classes, bool allow_duplicates) {
  if (samples <= 0)
    throw value_error(
        "RandomSample/RandomSampleInclusionFrequency: Number of requested samples must be > 0.");
  if (samples > kMostSamples)
    throw value_error(cat("RandomSample: ", samples, " samples; the most are ", kMostSamples));
  if (!allow_duplicates && samples >= classes)
    throw value_error(
        cat("RandomSample/RandomSampleInclusionFrequency: For sampling without duplicates the number of "
            "requested samples (",
            samples, ") must be less than the number of classes (", classes, ")."));
}

template <class T>
std::vector<double> sums_of_weights(std::span<const T> weights) {
  std::vector<double> sums;
  sums.reserve(weights.size());
  double sum = 0;
  for (T weight : weights) {
    if (!(weight >= 0))
      throw value_error("Sampling weights contain negative number " + std::to_string(weight) + ".");
    sums.push_back(sum += weight);
  }
  if (!(sum > 0 && std::isfinite(sum)))
    throw value_error(
        cat("RandomSample: the sum of the sampling weights must be above 0 and finite, and is ", sum));
  return sums;
}

int64_t sample_classes(RandomStream& stream, std::span<const double> sums, bool allow_duplicates,
                       std::span<int32_t> picked) {
  if (!allow_duplicates) check_reachable(sums, static_cast<int64_t>(picked.size()));
  std::vector<bool> taken(allow_duplicates ? 0 : sums.size());
  const int64_t most_draws = kMostDraws + static_cast<int64_t>(picked.size());
  int64_t draws = 0;
  for (int32_t& pick : picked) {
    may_end(kWorkOfADraw);
    size_t found;
    do {
      double wanted;
      do wanted = fraction(stream.engine()()) * sums.back();
      while (wanted >= sums.back());
      if (++draws > most_draws)
        throw value_error(cat("RandomSample: ", picked.size(), " different classes were not found in ",
                              most_draws, " draws"))
            .remedy("ask for fewer classes, or make the weights less different");
      found = static_cast<size_t>(std::lower_bound(sums.begin(), sums.end(), wanted) - sums.begin());
    } while (!allow_duplicates && taken[found]);
    if (!allow_duplicates) taken[found] = true;
    pick = static_cast<int32_t>(found);
  }
  stream.count(static_cast<uint64_t>(draws));
  return draws;
}

template <class T>
void inclusion_frequencies(RandomStream& stream, std::span<const T> weights, int64_t samples,
                           bool allow_duplicates, std::span<T> out) {
  check_sample(samples, static_cast<int64_t>(weights.size()), allow_duplicates);
  std::vector<double> sums = sums_of_weights(weights);
  const uint64_t checksum = crc64(weights.data(), weights.size_bytes());
  if (!stream.estimate || stream.estimate->weights != checksum) {
    std::vector<int32_t> picked(static_cast<size_t>(samples));
    int64_t draws = 0;
    for (int i = 0; i < kSamplings; ++i) draws += sample_classes(stream, sums, allow_duplicates, picked);
    stream.estimate = {checksum, static_cast<double>(draws) / kSamplings};
  }
  const double average = stream.estimate->draws;
  for (size_t i = 0; i < weights.size(); ++i) {
    double p = weights[i] / sums.back();
    out[i] = static_cast<T>(allow_duplicates ? p * static_cast<double>(samples)
                                             : -std::expm1(average * std::log1p(-p)));
  }
}

#define CANTIK_SAMPLE(T)                                               \
  template std::vector<double> sums_of_weights<T>(std::span<const T>); \
  template void inclusion_frequencies<T>(RandomStream&, std::span<const T>, int64_t, bool, std::span<T>);
CANTIK_SAMPLE(float)
CANTIK_SAMPLE(double)
#undef CANTIK_SAMPLE

}  // namespace cantik
