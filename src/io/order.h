// The order of the sequences in a sweep: that of the file, or CNTK's random one.
#pragma once

#include <cstdint>
#include <memory>

#include "io/deserializer.h"

namespace cantik {

// Asked on one thread at a time. Places near the last ones that were asked for are known at once, those
// behind them soon; earlier ones are found from the beginning of the sweep on.
class Order {
 public:
  virtual ~Order() = default;
  // How many sequences and samples a sweep has.
  virtual int64_t places() const = 0;
  virtual int64_t samples() const = 0;
  // The number of the sequence at a place.
  virtual size_t sequence_at(int64_t place) = 0;
  // Samples in front of a place; also of the one behind the last.
  virtual int64_t start(int64_t place) = 0;
  // The first place that has at least so many samples in front of it.
  virtual int64_t place_of(int64_t sample) = 0;
  // Whether sequences around a place come from a chunk.
  virtual bool keeps(int64_t chunk, int64_t place) = 0;
  // The place of a chunk among the chunks.
  virtual int64_t rank(int64_t chunk) const = 0;
  virtual bool is_random() const = 0;
};

std::shared_ptr<Order> order_of_file(const Deserializer& data);
// Chunks are shuffled, then sequences exchanged within windows of so many chunks, or of so many samples if
// that is not 0. Equal to CNTK's order, number for number. It is made as it is asked for: what is kept of it
// is as large as two windows.
std::shared_ptr<Order> random_order(const Deserializer& data, uint64_t seed, int64_t window_chunks,
                                    int64_t window_samples);

}  // namespace cantik
