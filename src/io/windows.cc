// The timeline of data without an index. Chunks come in the order of the data, or shuffled anew in each
// sweep; as many of them as the window has are read, and their sequences come in a random order: then the
// next window. A window goes on into the next sweep, but sequences change places within their sweep only, so
// that the part of a window in one sweep is a stretch. Equal to CNTK's order of a UserDeserializer, number
// for number.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/earlier_workers.h"
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

  bool is_before(const Begin& b) const { return std::pair(sweep, chunk) < std::pair(b.sweep, b.chunk); }
};

class ChunkWindow final : public Stretch {
 public:
  int64_t places() const override { return static_cast<int64_t>(sequences.size()); }
  SequenceInfo info(int64_t place) const override { return sequences[place]; }
  int64_t position(int64_t place) const override { return start[place]; }
  int64_t sweep() const override { return begin.sweep; }
  bool ends_sweep(int64_t place) const override { return ends && place + 1 == places(); }
  // Workers take turns, unless only chunks of the share are read.
  bool is_share(int64_t place, const Share& share) const override {
    if (!taken.empty() && taken[place]) return false;
    return by_chunks || (begin.passed + place) % share.partitions == share.partition;
  }
  bool keeps(int64_t chunk, int64_t) const override {
    return std::ranges::find(chunks, chunk) != chunks.end();
  }

  Begin begin, end;
  bool by_chunks = false, ends = false;
  std::vector<int64_t> chunks;
  std::vector<SequenceInfo> sequences;
  std::vector<bool> taken;     // by earlier workers; empty: none is
  std::vector<int64_t> start;  // [places + 1]; what has been taken is counted in front of the stretch
};

// What workers of another number have taken of the sweeps at hand.
struct TakenSequences {
  std::vector<std::vector<Begin>> fronts;      // of each worker: its chunks before are used up
  std::set<std::array<int64_t, 3>> sequences;  // sweep, chunk, number in the chunk
  int64_t last_sweep = -1;                     // behind it nothing is taken

  // The chunk at this place of the sweep's order.
  bool has_chunk(int64_t sweep, int64_t place) const {
    return std::ranges::any_of(fronts, [&](const std::vector<Begin>& workers) {
      const Begin at{.sweep = sweep, .chunk = place};
      return at.is_before(workers[static_cast<size_t>(place) % workers.size()]);
    });
  }
  bool has(int64_t sweep, const SequenceInfo& s) const {
    return sequences.contains({sweep, s.chunk, s.in_chunk});
  }
};

class Windows final : public Timeline {
 public:
  Windows(Deserializer& data, ChunkCache& chunks, const SourceOptions& options)
      : data_(data),
        cache_(chunks),
        options_(options),
        by_chunks_(options.randomize && !options.balanced_shares),
        counted_(counted_stream(data.streams())) {
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
    if (!by_chunks_ || !p.stretch) return;
    p.stretch = stretch(static_cast<const ChunkWindow&>(*p.stretch).begin);
    p.place = p.stretch ? std::min(p.place, p.stretch->places()) : 0;
  }
  int64_t limit() const override {
    return options_.max_samples ? part_of(*options_.max_samples, share_) : MinibatchRequest::kUnlimited;
  }

  void describe(const Place& p, Dictionary& state) const override {
    const Begin b = p.stretch ? static_cast<const ChunkWindow&>(*p.stretch).begin : Begin();
    state[kPosition] = static_cast<uint64_t>(b.samples);
    state[kSweep] = static_cast<uint64_t>(b.sweep);
    state[kChunk] = static_cast<uint64_t>(b.chunk);
    state[kLeft] = static_cast<uint64_t>(b.left);
    state[kPassed] = static_cast<uint64_t>(b.passed);
    state[kPlace] = static_cast<uint64_t>(p.place);
    if (b.sweep <= taken_.last_sweep) cantik::describe(earlier_workers_, state);
  }
  Place find(const Dictionary& state) override {
    remember(earlier_workers_of(state));
    const Stop stop = stop_of(state);
    Place p{stretch(stop.begin), 0};
    p.place = number_in(state, kPlace, p.stretch ? p.stretch->places() : 0);
    return p;
  }
  Place find_first(std::span<const Dictionary> states, const Share& share) override {
    Begin first = remember(with_last_workers(states));
    share_ = share;
    first.samples = part_of(first.samples, share);
    return {stretch(first), 0};
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
  // By chunks a worker sees its own samples only, and has its part of all.
  int64_t part_of(int64_t all, const Share& share) const {
    return by_chunks_ ? all / share.partitions + (share.partition < all % share.partitions) : all;
  }

  // Where a worker stood: the beginning of its stretch, and the place in that.
  struct Stop {
    Begin begin;
    int64_t place = 0;
  };
  Stop stop_of(const Dictionary& state) const {
    Begin b;
    b.samples = number_in(state, kPosition, INT64_MAX);
    b.sweep = number_in(state, kSweep, INT64_MAX);
    b.chunk = number_in(state, kChunk, data_.chunks());
    b.left = number_in(state, kLeft, INT64_MAX);
    b.passed = number_in(state, kPassed, INT64_MAX);
    return {b, number_in(state, kPlace, INT64_MAX)};
  }

  // Finds out what earlier workers have taken. Returns where others go on, with the samples of all in front.
  Begin remember(EarlierWorkers all) {
    const Share share = share_;
    TakenSequences before = std::exchange(taken_, {});
    Begin first;
    try {
      for (const std::vector<Dictionary>& states : all) {
        std::vector<Stop> stops;
        for (const Dictionary& state : states) stops.push_back(stop_of(state));
        if (!stops.empty()) first = by_chunks_ ? add_chunks(stops) : add_turns(stops);
      }
    } catch (...) {
      taken_ = std::move(before);
      share_ = share;
      throw;
    }
    share_ = share;
    earlier_workers_ = std::move(all);
    return first;
  }

  // Each worker has used up the chunks in front of its window, and the first sequences of that.
  Begin add_chunks(const std::vector<Stop>& stops) {
    TakenSequences more;
    Begin first = stops[0].begin;
    int64_t samples = 0;
    std::vector<Begin>& fronts = more.fronts.emplace_back();
    for (const Stop& stop : stops) {
      share_ = {static_cast<int64_t>(stops.size()), static_cast<int64_t>(fronts.size())};
      fronts.push_back(stop.begin);
      if (stop.begin.is_before(first)) first = stop.begin;
      samples += stop.begin.samples;
      const StretchPtr s = stretch(stop.begin);
      for (int64_t place = 0; s && place < std::min(stop.place, s->places()); ++place)
        samples += take(*s, place, more);
    }
    add(std::move(more));
    return {.sweep = first.sweep, .chunk = first.chunk, .samples = samples};
  }

  // All workers have seen the same stretches, and each has taken its turns up to its place.
  Begin add_turns(const std::vector<Stop>& stops) {
    TakenSequences more;
    Begin first = stops[0].begin, last = first;
    for (const Stop& stop : stops) {
      if (stop.begin.is_before(first)) first = stop.begin;
      if (last.is_before(stop.begin)) last = stop.begin;
    }
    const Begin begin = first;
    for (StretchPtr s = stretch(begin); s;) {
      const auto& w = static_cast<const ChunkWindow&>(*s);
      if (last.is_before(w.begin)) break;
      for (int64_t place = 0; place < w.places(); ++place) {
        const Stop& stop = stops[static_cast<size_t>(w.begin.passed + place) % stops.size()];
        const bool is_here = !w.begin.is_before(stop.begin) && !stop.begin.is_before(w.begin);
        if (w.begin.is_before(stop.begin) || (is_here && place < stop.place))
          first.samples += take(w, place, more);
      }
      s = stretch(w.end);
    }
    add(std::move(more));
    return first;
  }

  // Returns how many samples that are.
  static int64_t take(const Stretch& s, int64_t place, TakenSequences& more) {
    const SequenceInfo info = s.info(place);
    more.sequences.insert({s.sweep(), info.chunk, info.in_chunk});
    more.last_sweep = std::max(more.last_sweep, s.sweep());
    return s.position(place + 1) - s.position(place);
  }
  void add(TakenSequences more) {
    for (std::vector<Begin>& workers : more.fronts) {
      for (const Begin& b : workers) taken_.last_sweep = std::max(taken_.last_sweep, b.sweep);
      taken_.fronts.push_back(std::move(workers));
    }
    taken_.sequences.merge(more.sequences);
    taken_.last_sweep = std::max(taken_.last_sweep, more.last_sweep);
  }

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
  bool is_mine(int64_t chunk) const { return !by_chunks_ || chunk % share_.partitions == share_.partition; }

  // Null behind the last sweep.
  StretchPtr stretch(Begin b) {
    const int64_t count = data_.chunks();
    if (b.chunk >= count) b = {b.sweep + 1, 0, b.left, 0, b.samples};
    if (options_.max_sweeps && b.sweep >= *options_.max_sweeps) return nullptr;
    cache_.begin_sweep(b.sweep);
    auto w = std::make_shared<ChunkWindow>();
    w->begin = b;
    w->by_chunks = by_chunks_;
    const bool by_samples = options_.randomize && options_.window_samples > 0;
    if (b.left == 0)
      b.left = !options_.randomize ? 1 : by_samples ? options_.window_samples : options_.window_chunks;
    const std::vector<int64_t>& order = chunks_of(b.sweep);
    std::vector<int64_t> used_up;  // chunks, by earlier workers
    for (; b.chunk < count && b.left > 0; ++b.chunk)
      if (is_mine(b.chunk)) {
        const int64_t chunk = order[b.chunk];
        if (taken_.has_chunk(b.sweep, b.chunk)) used_up.push_back(chunk);
        const int64_t samples = read(chunk, *w);
        b.left = by_samples ? std::max<int64_t>(0, b.left - samples) : b.left - 1;
      }
    if (options_.randomize) shuffle(*w);
    w->start.push_back(b.samples);
    for (const SequenceInfo& s : w->sequences) {
      const bool is_taken = b.sweep <= taken_.last_sweep &&
                            (taken_.has(b.sweep, s) || std::ranges::find(used_up, s.chunk) != used_up.end());
      if (b.sweep <= taken_.last_sweep) w->taken.push_back(is_taken);
      w->start.push_back(w->start.back() + (is_taken ? 0 : s.samples));
    }
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
  bool by_chunks_;
  int64_t counted_;
  Share share_;
  EarlierWorkers earlier_workers_;
  TakenSequences taken_;
  std::vector<int64_t> order_;  // of the chunks, in the sweep `ordered_`
  int64_t ordered_ = -1;
};

}  // namespace

std::unique_ptr<Timeline> windows_of(Deserializer& data, ChunkCache& chunks, const SourceOptions& options) {
  return std::make_unique<Windows>(data, chunks, options);
}

}  // namespace cantik
