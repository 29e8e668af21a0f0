// Training sessions: the loop, and what happens beside it.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cantik/error.h>
#include <cantik/train.h>

#include "base/text.h"

namespace cantik {
namespace {

constexpr const char* kSourceState = "TrainingMinibatchSource";  // in a checkpoint's external state

int64_t size_at(const TrainingParameterSchedule& s, int64_t samples, int64_t sweeps) {
  double n = s[s.is_sweep_based() ? sweeps : samples];
  if (!(n >= 1)) throw value_error(cat("minibatch_size must be at least 1, and is ", n));
  return static_cast<int64_t>(n);
}

// Something that happens at intervals, of what all workers have learned from together: all of them do it.
struct Action {
  Frequency frequency;
  std::function<bool(int64_t index)> act;  // false: the training is to end
  int64_t index = 0, last_samples = 0;
};

}  // namespace

struct TrainingSession::Impl {
  std::shared_ptr<Trainer> trainer;
  std::shared_ptr<FeedSource> source;
  SessionOptions options;
  std::vector<Action> actions;
  Feeds feeds;

  int64_t seen(DataUnit unit) const {
    if (unit == DataUnit::sample) return trainer->total_number_of_samples_seen();
    return unit == DataUnit::minibatch ? trainer->total_number_of_minibatches_seen()
                                       : trainer->total_number_of_sweeps_seen();
  }
  // How many samples all workers together are to have next.
  int64_t size_at(int64_t samples, int64_t sweeps) const {
    const int64_t size = cantik::size_at(options.minibatch_size, samples, sweeps);
    const int64_t factor = trainer->minibatch_size_scale_factor();
    return size > ArraySource::kEndless / factor ? ArraySource::kEndless : size * factor;
  }
  int64_t index_of(const Action& a) const {
    if (a.frequency.count <= 0) return 0;
    const DistributedLearner::Counts all = trainer->counted_by_all();
    const DataUnit unit = a.frequency.unit;
    return (unit == DataUnit::sample      ? all.samples
            : unit == DataUnit::minibatch ? all.minibatches
                                          : all.sweeps) /
           a.frequency.count;
  }

  void add_actions() {
    if (options.checkpoint)
      actions.push_back({options.checkpoint->frequency, [this](int64_t i) { return save(i), true; }});
    actions.push_back(
        {options.progress, [this](int64_t) { return trainer->summarize_training_progress(), true; }});
    if (options.cross_validation)
      actions.push_back(
          {options.cross_validation->frequency, [this](int64_t i) { return cross_validate(i); }});
  }

  void save(int64_t index) {
    const CheckpointConfig& c = *options.checkpoint;
    if (options.on_checkpoint_start) options.on_checkpoint_start(index);
    write(c.preserve_all ? c.filename + std::to_string(index) : c.filename);
    if (options.on_checkpoint_end) options.on_checkpoint_end(index);
  }
  void write(const std::string& path) const {
    options.checkpoint->save(*trainer, path, {{kSourceState, source->state()}});
  }

  bool is_distributed() const { return trainer->workers() != nullptr; }

  struct Tested {
    double average = 0;
    int64_t samples = 0, minibatches = 0;
  };
  // From where the source stands, which it stands at again afterwards.
  Tested test(const TestConfig& c) {
    Dictionary position = c.source->state();
    Tested t;
    double sum = 0;
    bool end = false;
    int64_t left = c.max_samples.value_or(ArraySource::kEndless);
    // Every worker tests its share, until none of them has any left.
    const bool together = is_distributed();
    c.source->set_share(together ? WorkerShare{trainer->workers()->size(), trainer->workers()->rank()}
                                 : WorkerShare{});
    for (;;) {
      const bool found =
          left > 0 && (!end || c.max_samples) &&
          c.source->next(std::min(left, cantik::size_at(c.minibatch_size, t.samples, 0)), feeds, end);
      if (!found && !together) break;
      if (!found) feeds.clear();
      double average = trainer->test_minibatch(feeds, {.threads = options.threads, .distributed = together});
      int64_t n = trainer->previous_test_sample_count();
      if (n == 0 && together) break;
      sum += average * static_cast<double>(n);
      t.samples += n;
      ++t.minibatches;
      left -= n;
    }
    c.source->restore(position);
    trainer->summarize_test_progress();
    if (t.samples > 0) t.average = sum / static_cast<double>(t.samples);
    return t;
  }

  bool cross_validate(int64_t index) {
    const CrossValidationConfig& c = *options.cross_validation;
    if (options.on_cross_validation_start) options.on_cross_validation_start(index);
    Tested t = c.test.source ? test(c.test) : Tested();
    return !c.callback || c.callback(index, t.average, t.samples, t.minibatches);
  }

  // The file itself, or the one with the highest number.
  std::string latest_checkpoint() const {
    namespace fs = std::filesystem;
    const std::string& name = options.checkpoint->filename;
    if (fs::exists(name)) return name;
    fs::path path(name);
    fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    std::string stem = path.filename().string(), best;
    int64_t highest = -1;
    std::error_code none;
    for (const fs::directory_entry& e : fs::directory_iterator(folder, none)) {
      std::string file = e.path().filename().string();
      if (!file.starts_with(stem)) continue;
      int64_t number = -1;
      auto [end, error] = std::from_chars(file.data() + stem.size(), file.data() + file.size(), number);
      if (error == std::errc() && end == file.data() + file.size() && number > highest)
        highest = number, best = e.path().string();
    }
    return best;
  }

  void restore(const std::string& path) {
    Dictionary external = options.checkpoint->load(*trainer, path);
    source->restore(external.at(kSourceState).as<Dictionary>());
    for (Action& a : actions) {
      a.index = index_of(a);
      a.last_samples = trainer->total_number_of_samples_seen();
    }
  }

  // What will be asked for after the minibatch at hand.
  void expect_next(bool sweep_end) {
    if (is_distributed()) return;  // how many samples the others have is known after the exchange
    int64_t n = trainer->samples_in(feeds), samples = trainer->total_number_of_samples_seen() + n;
    if (n > 0 && samples < options.max_samples)
      source->expect(
          std::min(options.max_samples - samples, size_at(samples, seen(DataUnit::sweep) + sweep_end)));
  }

  void train() {
    int64_t restored = 0;
    if (options.checkpoint && options.checkpoint->restore)
      if (std::string path = latest_checkpoint(); !path.empty()) {
        restore(path);
        restored = trainer->total_number_of_samples_seen();
      }
    for (bool go_on = true, end_early = false; go_on;) {
      int64_t samples = trainer->total_number_of_samples_seen(),
              left = end_early ? 0 : options.max_samples - samples;
      bool sweep_end = false;
      if (options.on_minibatch_start) options.on_minibatch_start();
      source->set_share(trainer->share());
      go_on =
          left > 0 && source->next(std::min(left, size_at(samples, seen(DataUnit::sweep))), feeds, sweep_end);
      if (go_on) expect_next(sweep_end);
      if (!go_on && is_distributed()) {  // others may have data; the training ends when none has
        feeds.clear();
        go_on = true;
      }
      go_on = go_on && trainer->train_minibatch(feeds, {.sweep_end = sweep_end, .threads = options.threads});
      if (options.on_minibatch_end) end_early |= !options.on_minibatch_end();
      for (Action& a : actions) {
        int64_t index = index_of(a);
        if (index == a.index) continue;
        end_early |= !a.act(a.index);
        a.index = index;
        a.last_samples = trainer->total_number_of_samples_seen();
      }
    }
    int64_t samples = trainer->total_number_of_samples_seen();
    if (restored != samples)  // what happened since the last time is told, too
      for (Action& a : actions)
        if (samples != a.last_samples) a.act(a.index);
    if (options.checkpoint && options.checkpoint->preserve_all) write(options.checkpoint->filename);
    if (options.test) test(*options.test);
  }
};

TrainingSession::TrainingSession(std::shared_ptr<Trainer> trainer, std::shared_ptr<FeedSource> source,
                                 SessionOptions options)
    : impl_(new Impl{std::move(trainer), std::move(source), std::move(options), {}, {}}) {
  const SessionOptions& o = impl_->options;
  if (!impl_->trainer) throw value_error("Trainer is not allowed to be null.");
  if (!impl_->source) throw value_error("Training source is not allowed to be null.");
  if (o.max_samples <= 0) throw value_error("maxNumTrainingSamples must not be zero.");
  for (const TrainingParameterSchedule::Step& s : o.minibatch_size.steps())
    if (!(s.value >= 1)) throw value_error(cat("minibatch_size must be at least 1, and is ", s.value));
  if (o.checkpoint) {
    if (o.checkpoint->filename.empty()) throw value_error("Checkpoint file name is not allowed to be empty.");
    if (!o.checkpoint->save || (o.checkpoint->restore && !o.checkpoint->load))
      throw value_error("a checkpoint needs functions that write and read it");
  }
  if (o.test && !o.test->source) throw value_error("a test configuration needs a source");
  impl_->add_actions();
}

TrainingSession::~TrainingSession() = default;
void TrainingSession::train() { impl_->train(); }
const std::shared_ptr<Trainer>& TrainingSession::trainer() const { return impl_->trainer; }

void TrainingSession::restore_from_checkpoint(const std::string& path) {
  if (!impl_->options.checkpoint || !impl_->options.checkpoint->load)
    throw value_error("the session has no checkpoint configuration");
  impl_->restore(path);
}

}  // namespace cantik
