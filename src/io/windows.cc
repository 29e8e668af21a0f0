// The timeline of data without an index. Chunks come in the order of the data, or shuffled anew in each
// sweep; as many of them as the window has are read, and their sequences come in a random order: then the
// next window. A window goes on into the next sweep, but sequences change places within their sweep only, so
// that the part of a window in one sweep is a stretch. Equal to CNTK's order of a UserDeserializer, number
// for number.
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/timeline.h"
#include "tensor/random_engine.h"

namespace cantik {
namespace {

constexpr const char *kSweep = "sweep", *kChunk = "chunk", *kLeft = "windowLeft",
                     *kPassed = "sequencesPassed", *kPlace = "place";

// Where a stretch begins.
struct Begin {
  int64_t sweep = 0;
  int64_t chunk = 0;    // of the sweep's order, the next one
  int64_t left = 0;     // how much of the window is still to come, in chunks or samples; 0: a window begins
  int64_t passed = 0;   // sequences of the sweep in front of it
  int64_t samples = 0;  // in front of it, of all sweeps
};

class ChunkWindow final : public Stretch {
 public:
  int64_t places() const override { return static_cast<int64_t>(sequences.size()); }
  SequenceInfo info(int64_t place) const override { return sequences[static_cast<size_t>(place)]; }
  int64_t position(int64_t place) const override { return start[static_cast<size_t>(place)]; }
  int64_t sweep() const override { return begin.sweep; }
  bool ends_sweep(int64_t place) const override { return ends && place + 1 == places(); }
  // In the order of the data every so many-th one; in a random order only chunks of the share are read.
  bool is_share(int64_t place, const Share& share) const override {
    return random || (begin.passed + place) % share.partitions == share.partition;
  }
  bool keeps(int64_t chunk, int64_t) const override {
    return std::ranges::find(chunks, chunk) != chunks.end();
  }

  Begin begin, end;
  bool random = false, ends = false;
  std::vector<int64_t> chunks;
  std::vector<SequenceInfo> sequences;
  std::vector<int64_t> start;  // [places + 1]
};

class Windows final : public Timeline {
 public:
  Windows(Deserializer& data, ChunkCache& chunks, const SourceOptions& options)
      : data_(data), cache_(chunks), options_(options), counted_(counted_stream(data.streams())) {
    if (data.chunks() < 1) throw runtime_error(cat("the data of ", data.name(), " have no chunks"));
    if (data.chunks() > INT32_MAX)
      throw value_error(cat("the data of ", data.name(), " have ", data.chunks(), " chunks, at most ",
                            INT32_MAX, " can be told apart"));
  }

  Place begin() override { return {stretch({}), 0}; }
  StretchPtr next(const Stretch& last) override { return stretch(static_cast<const ChunkWindow&>(last).end); }

  void set_share(const Share& share, Place& p) override {
    if (share_ == share) return;
    share_ = share;
    if (!options_.randomize || !p.stretch) return;
    p.stretch = stretch(static_cast<const ChunkWindow&>(*p.stretch).begin);
    p.place = p.stretch ? std::min(p.place, p.stretch->places()) : 0;
  }
  // In a random order a worker sees its own samples only, and has its part of them.
  int64_t limit() const override {
    if (!options_.max_samples) return MinibatchRequest::kUnlimited;
    const int64_t all = *options_.max_samples, n = share_.partitions;
    return options_.randomize ? all / n + (share_.partition < all % n) : all;
  }

  void describe(const Place& p, Dictionary& state) const override {
    const Begin b = p.stretch ? static_cast<const ChunkWindow&>(*p.stretch).begin : Begin();
    state[kPosition] = static_cast<uint64_t>(b.samples);
    state[kSweep] = static_cast<uint64_t>(b.sweep);
    state[kChunk] = static_cast<uint64_t>(b.chunk);
    state[kLeft] = static_cast<uint64_t>(b.left);
    state[kPassed] = static_cast<uint64_t>(b.passed);
    state[kPlace] = static_cast<uint64_t>(p.place);
  }
  Place find(const Dictionary& state) override {
    Begin b;
    b.samples = number_in(state, kPosition, INT64_MAX);
    b.sweep = number_in(state, kSweep, INT64_MAX);
    b.chunk = number_in(state, kChunk, data_.chunks());
    b.left = number_in(state, kLeft, INT64_MAX);
    b.passed = number_in(state, kPassed, INT64_MAX);
    Place p{stretch(b), 0};
    p.place = number_in(state, kPlace, p.stretch ? p.stretch->places() : 0);
    return p;
  }
  uint64_t number_of(const SequenceInfo& s) const override {
    return static_cast<uint64_t>(s.chunk) << 32 | static_cast<uint32_t>(s.in_chunk);
  }
  SequenceInfo sequence(uint64_t number) override {
    const uint64_t chunk = number >> 32, in_chunk = number & UINT32_MAX;
    if (chunk >= static_cast<uint64_t>(data_.chunks()))
      throw runtime_error(
          cat("the checkpoint stopped in chunk ", chunk, ", but the data have ", data_.chunks(), " chunks"))
          .remedy("restore with the data of the training that was saved");
    const ChunkPtr& loaded = cache_.get(static_cast<int64_t>(chunk), [](int64_t) { return true; });
    if (in_chunk >= static_cast<uint64_t>(sequences_of(*loaded)))
      throw runtime_error(cat("the checkpoint stopped in sequence ", in_chunk, " of chunk ", chunk,
                              ", which has ", sequences_of(*loaded)))
          .remedy("restore with the data of the training that was saved");
    return info(*loaded, static_cast<int64_t>(chunk), static_cast<int64_t>(in_chunk));
  }

 private:
  SequenceInfo info(const Chunk& chunk, int64_t number, int64_t in_chunk) const {
    SequenceInfo s{0, samples_of(chunk, in_chunk, counted_), static_cast<int32_t>(number),
                   static_cast<int32_t>(in_chunk)};
    s.key = number_of(s);
    return s;
  }

  // The order of the chunks in a sweep.
  const std::vector<int64_t>& chunks_of(int64_t sweep) {
    if (sweep == ordered_) return order_;
    order_.resize(static_cast<size_t>(data_.chunks()));
    std::iota(order_.begin(), order_.end(), 0);
    if (options_.randomize) {
      Mt19937_64 draw(options_.seed + static_cast<uint64_t>(sweep));
      for (int64_t& chunk : order_) std::swap(chunk, order_[draw() % order_.size()]);
    }
    ordered_ = sweep;
    return order_;
  }
  bool is_mine(int64_t chunk) const {
    return !options_.randomize || chunk % share_.partitions == share_.partition;
  }

  // Null behind the last sweep.
  StretchPtr stretch(Begin b) {
    const int64_t count = data_.chunks();
    if (b.chunk >= count) b = {b.sweep + 1, 0, b.left, 0, b.samples};
    if (options_.max_sweeps && b.sweep >= *options_.max_sweeps) return nullptr;
    cache_.begin_sweep(b.sweep);
    auto w = std::make_shared<ChunkWindow>();
    w->begin = b;
    w->random = options_.randomize;
    const bool by_samples = options_.randomize && options_.window_samples > 0;
    if (b.left == 0)
      b.left = !options_.randomize ? 1 : by_samples ? options_.window_samples : options_.window_chunks;
    const std::vector<int64_t>& order = chunks_of(b.sweep);
    for (; b.chunk < count && b.left > 0; ++b.chunk)
      if (is_mine(b.chunk)) {
        const int64_t samples = read(order[static_cast<size_t>(b.chunk)], *w);
        b.left = by_samples ? std::max<int64_t>(0, b.left - samples) : b.left - 1;
      }
    if (options_.randomize) shuffle(*w);
    w->start.push_back(b.samples);
    for (const SequenceInfo& s : w->sequences) w->start.push_back(w->start.back() + s.samples);
    w->ends = true;
    for (int64_t c = b.chunk; c < count; ++c) w->ends &= !is_mine(c);
    b.passed += w->places();
    b.samples = w->start.back();
    w->end = b;
    return w;
  }

  // Adds the sequences of a chunk. Returns how many samples they have.
  int64_t read(int64_t number, ChunkWindow& w) {
    may_end_now();
    w.chunks.push_back(number);
    const ChunkPtr chunk = cache_.get(number, [&](int64_t other) { return w.keeps(other, 0); });
    int64_t samples = 0;
    for (int64_t i = 0; i < sequences_of(*chunk); ++i) {
      w.sequences.push_back(info(*chunk, number, i));
      if (options_.frame_mode) refuse_long(data_, w.sequences.back());
      samples += w.sequences.back().samples;
    }
    return samples;
  }

  // Each place in turn gets one of those that are left (Fisher and Yates).
  void shuffle(ChunkWindow& w) const {
    Mt19937_64 draw(options_.seed + static_cast<uint64_t>(w.begin.sweep + w.begin.chunk));
    std::vector<SequenceInfo>& all = w.sequences;
    for (size_t i = 0; i < all.size(); ++i) std::swap(all[i], all[i + draw() % (all.size() - i)]);
  }

  Deserializer& data_;
  ChunkCache& cache_;
  SourceOptions options_;
  int64_t counted_;
  Share share_;
  std::vector<int64_t> order_;  // of the chunks, in the sweep `ordered_`
  int64_t ordered_ = -1;
};

}  // namespace

std::unique_ptr<Timeline> windows_of(Deserializer& data, ChunkCache& chunks, const SourceOptions& options) {
  return std::make_unique<Windows>(data, chunks, options);
}

}  // namespace cantik
