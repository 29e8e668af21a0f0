// The order of the sequences in a sweep: that of the file, or CNTK's random one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/prefix_sums.h"
#include "io/deserializer.h"

namespace cantik {

struct Order {
  // At each place. Empty in the order of the data, where every sequence stands at its own number.
  std::vector<int32_t> sequence;
  PrefixSums start;  // samples in front of each place
  // Places belong to chunks, a run of them for each; what stands there comes from chunks of a window around
  // it.
  std::vector<int64_t> run;   // [chunks + 1], in places
  std::vector<int32_t> rank;  // of each chunk: which run is its own
  // of each run: the runs from where its sequences may come
  std::vector<std::pair<int32_t, int32_t>> window;

  int64_t places() const { return run.back(); }
  int64_t samples() const { return start.sum(); }
  size_t sequence_at(int64_t place) const {
    return static_cast<size_t>(sequence.empty() ? place : sequence[static_cast<size_t>(place)]);
  }
  int64_t run_of(int64_t place) const {
    return std::upper_bound(run.begin(), run.end(), place) - run.begin() - 1;
  }
};

Order order_of_file(const Deserializer& data);
// Chunks are shuffled, then sequences exchanged within the windows. Equal to CNTK's order, number for number.
Order random_order(const Deserializer& data, uint64_t seed, int64_t window_chunks, int64_t window_samples);

}  // namespace cantik
