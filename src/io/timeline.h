// Timeline: in which order the sequences of the data come, sweep after sweep. It is cut into stretches that
// are known at once: a whole sweep of data with an index, a window of chunks of data without one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <cantik/dictionary.h>

#include "io/chunk_cache.h"

namespace cantik {

// Which of several workers, that all ask for the same, has a sequence.
struct Share {
  int64_t partitions = 1, partition = 0;
  bool operator==(const Share&) const = default;
};

// Sequences that come one after another, all of one sweep.
class Stretch {
 public:
  virtual ~Stretch() = default;
  virtual int64_t places() const = 0;
  virtual SequenceInfo info(int64_t place) const = 0;
  // Samples in front of it, of all sweeps; of the place behind the last one too.
  virtual int64_t position(int64_t place) const = 0;
  virtual int64_t sweep() const = 0;
  virtual bool ends_sweep(int64_t place) const = 0;  // it is the last one of the sweep
  // Whether it is one of the worker's, and nobody has taken it before there were so many workers.
  virtual bool is_share(int64_t place, const Share& share) const = 0;
  // Whether sequences around this place come from a chunk, so that it stays in memory.
  virtual bool keeps(int64_t chunk, int64_t place) const = 0;
};
using StretchPtr = std::shared_ptr<const Stretch>;

class Timeline {
 public:
  // Where the next sequence is.
  struct Place {
    StretchPtr stretch;
    int64_t place = 0;
  };

  virtual ~Timeline() = default;
  virtual Place begin() = 0;
  // What follows; null at the end of the last sweep.
  virtual StretchPtr next(const Stretch& last) = 0;
  // Whose sequences are wanted from now on. A place that is not the same for this worker becomes its own.
  virtual void set_share(const Share& share, Place& place) = 0;
  // Samples of all sweeps, behind which nothing comes.
  virtual int64_t limit() const = 0;
  // A place, as a checkpoint has it.
  virtual void describe(const Place& place, Dictionary& state) const = 0;
  virtual Place find(const Dictionary& state) = 0;
  // The first place that one of so many workers, with a state each, has not passed: sequences behind it that
  // others have taken are nobody's share. `share`: of the workers that go on.
  virtual Place find_first(std::span<const Dictionary> states, const Share& share) = 0;
  // The number of a sequence in the data, and back. A number that is none of the data's is an error.
  virtual uint64_t number_of(const SequenceInfo& info) const = 0;
  virtual SequenceInfo sequence(uint64_t number) = 0;
};

// In a checkpoint: samples in front of the place; where workers stood whose number was another one, a list of
// states for each time that it has changed in the sweep.
inline constexpr const char* kPosition = "minibatchSourcePosition";
inline constexpr const char* kEarlierWorkers = "cantik.earlierWorkers";
// A whole number of a checkpoint, at most this much.
int64_t number_in(const Dictionary& state, const char* key, int64_t most);

// The order of data with an index: that of the file, or CNTK's random one. See order.h.
std::unique_ptr<Timeline> sweeps_of(Deserializer& data, const SourceOptions& options);
// The order of data without one, whose chunks are read through `chunks`: windows follow one another.
std::unique_ptr<Timeline> windows_of(Deserializer& data, ChunkCache& chunks, const SourceOptions& options);

// In frame mode every sequence has one sample.
void refuse_long(const Deserializer& data, const SequenceInfo& info);

}  // namespace cantik
