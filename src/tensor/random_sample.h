// Classes drawn in proportion to weights: random_sample and random_sample_inclusion_frequency, as CNTK draws
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/random.h"

namespace cantik {

// Throws for a number of samples that cannot be.
void check_sample(int64_t samples, int64_t classes, bool allow_duplicates);

// The sum of each weight and all before it, in double. Throws for negative weights, and if all are 0.
template <class T>
std::vector<double> sums_of_weights(std::span<const T> weights);

// Fills picked; a class already there is drawn again unless duplicates are allowed. Returns the number of
// draws, which the stream counts. sums: [classes], of sums_of_weights.
int64_t sample_classes(RandomStream& stream, std::span<const double> sums, bool allow_duplicates,
                       std::span<int32_t> picked);

// How often each class is expected among the samples. p: its weight over the sum of all. With duplicates p *
// samples; without, 1 - (1 - p)^d for d draws, the average over ten samplings, all drawn from the stream.
// (With duplicates they are drawn as well.) The stream keeps the average for the next call with these
// weights. weights, out: [classes]
template <class T>
void inclusion_frequencies(RandomStream& stream, std::span<const T> weights, int64_t samples,
                           bool allow_duplicates, std::span<T> out);

}  // namespace cantik
