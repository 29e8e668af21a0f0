// The timeline of data with an index. A stretch is a sweep.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "io/earlier_workers.h"
#include "io/order.h"
#include "io/timeline.h"

namespace cantik {
namespace {

// Where workers stood, in samples of all sweeps, in the order of ranks; a list for each number of workers.
using Positions = std::vector<std::vector<int64_t>>;

class Sweep final : public Stretch {
 public:
  Sweep(const SequenceIndex& index, std::shared_ptr<Order> order, int64_t sweep, const SourceOptions& options,
        std::shared_ptr<const Positions> earlier)
      : index_(index),
        order_(std::move(order)),
        earlier_(std::move(earlier)),
        sweep_(sweep),
        places_(order_->places()),
        by_chunks_(order_->is_random() && !options.balanced_shares) {}

  int64_t places() const override { return places_; }
  SequenceInfo info(int64_t place) const override {
    // a random order jumps about in an index that no cache holds
    if (order_->is_random() && place + kAhead < places_) index_.expect(order_->sequence_at(place + kAhead));
    return index_[order_->sequence_at(place)];
  }
  int64_t position(int64_t place) const override { return sweep_ * order_->samples() + order_->start(place); }
  int64_t sweep() const override { return sweep_; }
  bool ends_sweep(int64_t place) const override { return place + 1 == places_; }
  bool is_share(int64_t place, const Share& share) const override {
    if (share.partitions > 1 && turn(place) % share.partitions != share.partition) return false;
    return !earlier_ || !is_taken(place);
  }
  bool keeps(int64_t chunk, int64_t place) const override { return order_->keeps(chunk, place); }
  const std::shared_ptr<Order>& order() const { return order_; }
  // The first sequence that begins at this sample of the sweep or later.
  int64_t place_of(int64_t sample) const { return order_->place_of(sample); }

 private:
  static constexpr int64_t kAhead = 8;  // places that are asked for soon

  // Workers take turns: by the place in the order, or by the place of the chunk in a random one.
  int64_t turn(int64_t place) const {
    return by_chunks_ ? order_->rank(info(place).chunk) : sweep_ * places_ + place;
  }
  bool is_taken(int64_t place) const {
    return std::any_of(earlier_->begin(), earlier_->end(), [&](const std::vector<int64_t>& workers) {
      return position(place) < workers[static_cast<size_t>(turn(place)) % workers.size()];
    });
  }

  const SequenceIndex& index_;
  std::shared_ptr<Order> order_;
  std::shared_ptr<const Positions> earlier_;  // null: they have all passed by
  int64_t sweep_, places_;
  bool by_chunks_;
};

class Sweeps final : public Timeline {
 public:
  Sweeps(Deserializer& data, const SourceOptions& options)
      : data_(data), index_(*data.index()), options_(options) {
    if (!index_.empty() && index_.chunk_of(index_.size() - 1) >= data.chunks())
      throw value_error(cat("the index of ", data.name(), " has a sequence in chunk ",
                            index_.chunk_of(index_.size() - 1), ", and there are ", data.chunks(),
                            " chunks"));
    samples_ = index_.samples_before(index_.size());
    if (options.frame_mode && samples_ != static_cast<int64_t>(index_.size()))
      for (const SequenceInfo& s : index_) refuse_long(data, s);
    if (samples_ == 0) throw runtime_error(cat("the data of ", data.name(), " have no samples"));
    if (options.max_samples) limit_ = *options.max_samples;
    if (options.max_sweeps && *options.max_sweeps <= MinibatchRequest::kUnlimited / samples_)
      limit_ = *options.max_sweeps * samples_;
  }

  Place begin() override { return {sweep(0, nullptr), 0}; }
  StretchPtr next(const Stretch& last) override {
    return sweep(last.sweep() + 1, static_cast<const Sweep&>(last).order());
  }
  void set_share(const Share&, Place&) override {}
  int64_t limit() const override { return limit_; }

  void describe(const Place& p, Dictionary& state) const override {
    const int64_t position = p.stretch ? p.stretch->position(p.place) : 0;
    state[kPosition] = static_cast<uint64_t>(position);
    if (p.stretch && p.stretch->sweep() <= last_sweep_) cantik::describe(earlier_workers_, state);
  }
  Place find(const Dictionary& state) override {
    remember(earlier_workers_of(state));
    return place_at(number_in(state, kPosition, INT64_MAX));
  }
  Place find_first(std::span<const Dictionary> states, const Share&) override {
    int64_t first = INT64_MAX;
    for (const Dictionary& state : states) first = std::min(first, number_in(state, kPosition, INT64_MAX));
    remember(with_last_workers(states));
    return place_at(first);
  }
  uint64_t number_of(const SequenceInfo& s) const override {
    return index_.of_chunk(s.chunk).first + static_cast<size_t>(s.in_chunk);
  }
  SequenceInfo sequence(uint64_t number) override {
    if (number >= index_.size())
      throw runtime_error(cat("the checkpoint stopped in sequence ", number, ", but the data have ",
                              index_.size(), " sequences"))
          .remedy("restore with the data of the training that was saved");
    return index_[number];
  }

 private:
  Place place_at(int64_t position) {
    auto found = sweep(position / samples_, nullptr);
    return {found, found->place_of(position % samples_)};
  }

  void remember(EarlierWorkers all) {
    auto positions = std::make_shared<Positions>();
    int64_t last_sweep = -1;
    for (const std::vector<Dictionary>& workers : all) {
      if (workers.empty()) continue;
      std::vector<int64_t>& places = positions->emplace_back();
      for (const Dictionary& state : workers) {
        places.push_back(number_in(state, kPosition, INT64_MAX));
        last_sweep = std::max(last_sweep, places.back() / samples_);
      }
    }
    last_sweep_ = last_sweep;
    earlier_workers_ = std::move(all);
    earlier_ = positions->empty() ? nullptr : std::move(positions);
  }

  // The order of the file is the same in all sweeps.
  std::shared_ptr<const Sweep> sweep(int64_t number, std::shared_ptr<Order> last) {
    if (options_.randomize)
      last = random_order(data_, options_.seed + static_cast<uint64_t>(number), options_.window_chunks,
                          options_.window_samples);
    else if (!last)
      last = order_of_file(data_);
    return std::make_shared<Sweep>(index_, std::move(last), number, options_,
                                   number <= last_sweep_ ? earlier_ : nullptr);
  }

  Deserializer& data_;
  const SequenceIndex& index_;
  SourceOptions options_;
  int64_t samples_ = 0;  // of a sweep
  int64_t limit_ = MinibatchRequest::kUnlimited;
  EarlierWorkers earlier_workers_;
  std::shared_ptr<const Positions> earlier_;
  int64_t last_sweep_ = -1;  // that earlier workers have begun
};

}  // namespace

void refuse_long(const Deserializer& data, const SequenceInfo& info) {
  if (info.samples == 1) return;
  throw runtime_error(cat("Detected a non-frame sequence of size ", info.samples, " in frame mode."))
      .line("file", data.name())
      .line("sequence", std::to_string(info.key));
}

int64_t number_in(const Dictionary& state, const char* key, int64_t most) {
  const DictionaryValue* found = state.find(key);
  if (!found) throw value_error(cat("Checkpoint misses required field ", key));
  const uint64_t n = found->as<uint64_t>();
  if (n > static_cast<uint64_t>(most))
    throw value_error(
        cat("the checkpoint says ", key, " ", n, ", which is more than ", most, ", the most there can be"))
        .remedy("restore another checkpoint: this one is damaged, or belongs to other data");
  return static_cast<int64_t>(n);
}

std::unique_ptr<Timeline> sweeps_of(Deserializer& data, const SourceOptions& options) {
  return std::make_unique<Sweeps>(data, options);
}

}  // namespace cantik
