// CNTK's random order. Places belong to groups of chunks, a run of them for each group, in a random order of
// the groups; then each place in turn is exchanged with another one, so that what stands there comes from
// groups of a window around it. A run is final when no window that is still to come reaches it.
#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "io/order.h"
#include "tensor/random_engine.h"

namespace cantik {
namespace {

constexpr int64_t kWorkPerDraw = 20;

// The runs from where the sequences of one may come.
struct RunWindow {
  int32_t first = 0, last = 0;  // without the last
};

class RandomOrder final : public Order {
 public:
  RandomOrder(const Deserializer& data, uint64_t seed, int64_t window_chunks, int64_t window_samples)
      : index_(*data.index()), seed_(seed), draw_(seed) {
    groups_ = data.groups();
    if (groups_.empty())
      for (int64_t c = 0; c < data.chunks(); ++c) first_.push_back(index_.of_chunk(c).first);
    for (const int64_t c : groups_) first_.push_back(index_.of_chunk(c).first);
    order_.resize(first_.size());
    first_.push_back(index_.size());
    std::iota(order_.begin(), order_.end(), 0);
    Mt19937_64 shuffle(seed);
    for (int32_t& group : order_) std::swap(group, order_[shuffle() % order_.size()]);
    rank_.resize(order_.size());
    for (size_t r = 0; r < order_.size(); ++r) {
      const auto group = static_cast<size_t>(order_[r]);
      rank_[group] = static_cast<int32_t>(r);
      run_.push_back(run_.back() + static_cast<int64_t>(first_[group + 1] - first_[group]));
    }
    if (window_samples > 0)
      windows_of_samples(window_samples);
    else
      windows_of_chunks(window_chunks);
    begin();
  }

  int64_t places() const override { return run_.back(); }
  int64_t samples() const override { return index_.samples_before(index_.size()); }
  size_t sequence_at(int64_t place) override {
    Run& run = run_at(place);
    return static_cast<size_t>(run.sequences[place - run.begin]);
  }
  int64_t start(int64_t place) override {
    if (place == places()) return samples();
    const Run& run = run_at(place);
    const auto at = static_cast<size_t>(place - run.begin);
    int64_t start = run.starts[at / kApart];
    for (size_t i = at / kApart * kApart; i < at; ++i) start += samples_of(run, i);
    return start;
  }
  int64_t place_of(int64_t sample) override {
    if (sample >= samples()) return places();
    begin();
    int64_t r = 0;
    while (final_run(r).samples_behind() < sample) ++r;
    const Run& run = final_run(r);
    int64_t start = run.starts[0];
    size_t at = 0;
    for (; start < sample; ++at) start += samples_of(run, at);
    return run.begin + static_cast<int64_t>(at);
  }
  bool keeps(int64_t chunk, int64_t place) override {
    const RunWindow& w = windows_[std::min(run_of(place), count() - 1)];
    const int64_t own = rank(chunk);
    return w.first <= own && own < w.last;
  }
  int64_t rank(int64_t chunk) const override {
    const int64_t group =
        groups_.empty() ? chunk : std::ranges::upper_bound(groups_, chunk) - groups_.begin() - 1;
    return rank_[group];
  }
  bool is_random() const override { return true; }

 private:
  static constexpr size_t kApart = 16;  // places

  // Places of one group.
  struct Run {
    int64_t begin = 0;                    // the first of them
    std::vector<int32_t> sequences = {};  // at each place
    // of final runs: samples in front of every 16th place, and behind the last one
    std::vector<int64_t> starts = {};
    int64_t samples_behind() const { return starts.back(); }
  };
  int64_t samples_of(const Run& run, size_t at) const {
    return index_.samples(static_cast<size_t>(run.sequences[at]));
  }

  int64_t count() const { return static_cast<int64_t>(windows_.size()); }
  int64_t run_of(int64_t place) const {
    return std::upper_bound(run_.begin(), run_.end(), place) - run_.begin() - 1;
  }

  // So many runs around each one, fewer behind the last than before it.
  void windows_of_chunks(int64_t width) {
    const auto runs = static_cast<int64_t>(order_.size());
    for (int64_t r = 0; r < runs; ++r) {
      const int64_t first = std::max<int64_t>(0, std::min(r - width / 2, runs - width));
      windows_.push_back(
          {static_cast<int32_t>(first), static_cast<int32_t>(std::min(runs - first, width) + first)});
    }
  }

  // Runs that begin at most half of the samples before this one, and those that end less than half of them
  // behind its beginning.
  void windows_of_samples(int64_t samples) {
    std::vector<int64_t> start{0};  // of each run, in samples
    for (const int32_t g : order_) {
      const auto group = static_cast<size_t>(g);
      start.push_back(start.back() + index_.samples_before(first_[group + 1]) -
                      index_.samples_before(first_[group]));
    }
    size_t first = 0, last = 1;
    for (size_t r = 0; r < order_.size(); ++r) {
      while (start[r] - start[first] > samples / 2) ++first;
      last = std::max(last, r + 1);
      while (last < order_.size() && start[last + 1] - start[r] < samples / 2) ++last;
      windows_.push_back({static_cast<int32_t>(first), static_cast<int32_t>(last)});
    }
  }

  void begin() {
    draw_ = Mt19937_64(seed_);
    runs_.clear();
    kept_ = exchanged_ = final_ = 0;
    turn_ = 0;
    samples_ = 0;
  }

  // The sequences of a run's group in their own order.
  void add_run() {
    const auto r = static_cast<size_t>(kept_) + runs_.size(), group = static_cast<size_t>(order_[r]);
    Run run{.begin = run_[r], .sequences = std::vector<int32_t>(first_[group + 1] - first_[group])};
    std::iota(run.sequences.begin(), run.sequences.end(), static_cast<int32_t>(first_[group]));
    runs_.push_back(std::move(run));
  }
  Run& kept(int64_t r) { return runs_[r - kept_]; }

  // Each place of the run in turn is exchanged with another one of its window; both sequences stay in reach
  // of the chunks they come from. A call that is ended here goes on from that place another time.
  void exchange(int64_t r) {
    const RunWindow window = windows_[r];
    while (kept_ + static_cast<int64_t>(runs_.size()) < window.last) add_run();
    const int64_t low = run_[window.first], high = run_[window.last];
    auto within = [this](int64_t run, int32_t sequence) {
      const auto group = std::ranges::upper_bound(first_, static_cast<size_t>(sequence)) - first_.begin() - 1;
      const int32_t own = rank_[group];
      const RunWindow& w = windows_[run];
      return w.first <= own && own < w.last;
    };
    std::vector<int32_t>& sequences = kept(r).sequences;
    for (; turn_ < sequences.size(); ++turn_)
      while (true) {
        may_end(kWorkPerDraw);
        int32_t& own = sequences[turn_];
        const int64_t place = low + static_cast<int64_t>(draw_() % static_cast<uint64_t>(high - low)),
                      other = run_of(place);
        Run& others = kept(other);
        int32_t& theirs = others.sequences[place - others.begin];
        if (!within(r, theirs) || !within(other, own)) continue;
        std::swap(own, theirs);
        break;
      }
    turn_ = 0;
  }

  // The next run that is final: from here on nothing there changes.
  void finish_run() {
    while (exchanged_ < count() && windows_[exchanged_].first <= final_) {
      exchange(exchanged_);
      ++exchanged_;
    }
    Run& run = kept(final_++);
    for (size_t at = 0; at < run.sequences.size(); ++at) {
      if (at % kApart == 0) run.starts.push_back(samples_);
      samples_ += samples_of(run, at);
    }
    run.starts.push_back(samples_);
  }

  Run& run_at(int64_t place) {
    if (!runs_.empty() && last_ >= kept_ && last_ < final_) {  // most places are of the run of the last one
      Run& run = kept(last_);
      if (run.begin <= place && place < run_[static_cast<size_t>(last_) + 1]) return run;
    }
    return final_run(run_of(place));
  }

  // Runs behind it are forgotten, but for as many as a window has: there others may still be reading.
  Run& final_run(int64_t r) {
    if (r < kept_) begin();
    while (final_ <= r) finish_run();
    const RunWindow& w = windows_[r];
    for (const int64_t needed = w.first - (w.last - w.first); kept_ < needed; ++kept_) runs_.pop_front();
    last_ = r;
    return kept(r);
  }

  const SequenceIndex& index_;
  uint64_t seed_;
  std::vector<int64_t> groups_;     // see Deserializer::groups
  std::vector<size_t> first_;       // [groups + 1]: their first sequences
  std::vector<int32_t> order_;      // of the groups
  std::vector<int32_t> rank_;       // of each group: which run is its own
  std::vector<int64_t> run_{0};     // [groups + 1], in places
  std::vector<RunWindow> windows_;  // of each run: the runs from where its sequences may come
  Mt19937_64 draw_;
  std::deque<Run> runs_;                                     // from `kept_` on
  int64_t kept_ = 0, exchanged_ = 0, final_ = 0, last_ = 0;  // runs: the first kept, not exchanged, not final
  size_t turn_ = 0;      // the next place of run `exchanged_` to be exchanged
  int64_t samples_ = 0;  // in front of run `final_`
};

}  // namespace

std::shared_ptr<Order> random_order(const Deserializer& data, uint64_t seed, int64_t window_chunks,
                                    int64_t window_samples) {
  return std::make_shared<RandomOrder>(data, seed, window_chunks, window_samples);
}

}  // namespace cantik
