// Training sessions: the loop, and what happens beside it.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>
#include <cantik/train.h>

#include "base/required.h"
#include "base/text.h"
#include "train/checkpoint_writer.h"
#include "train/epoch.h"
#include "train/minibatch_size.h"

namespace cantik {
namespace {

// In a checkpoint's external state: the source's, under CNTK's name, and what CNTK does not have.
constexpr const char* kSourceState = "TrainingMinibatchSource";
constexpr const char* kSourcesOfWorkers = "cantik.sources";  // of each worker, in the order of ranks
constexpr const char* kEpochState = "cantik.epoch";
constexpr const char* kCallbackStates = "cantik.callbacks";
constexpr const char* kActionStates = "cantik.actions";  // of workers, among themselves: what has been done

int64_t size_at(const TrainingParameterSchedule& s, int64_t samples, int64_t sweeps) {
  return whole_size(s[s.is_sweep_based() ? sweeps : samples]);
}

// Something that happens at intervals, of what all workers have learned from together: all of them do it.
struct Action {
  Frequency frequency;
  std::function<void(int64_t index)> act;
  int64_t index = 0,
          last_count = 0;  // how often it was done, and at which count of its unit it was done last
};

}  // namespace

struct TrainingSession::Impl {
  TrainingSession& session;
  std::shared_ptr<Trainer> trainer;
  std::shared_ptr<FeedSource> source;
  SessionOptions options;
  std::optional<Device> device = {};
  std::vector<Action> actions = {};
  FeedMinibatch minibatch = {};  // at hand
  training::Epoch epoch = {};
  CheckpointWriter checkpoints = {};
  int64_t last_checkpoint = 0;  // the index of the one that is being written
  bool ended = false, was_interrupted = false, may_take_in = false, begins = true;
  std::atomic<bool> interrupted = false;  // is to be
  std::atomic<bool> trains = false;

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
  // What all workers have counted of a unit.
  int64_t counted(DataUnit unit) const {
    const DistributedLearner::Counts all = trainer->counted_by_all();
    if (unit == DataUnit::sample) return all.samples;
    return unit == DataUnit::minibatch ? all.minibatches : all.sweeps;
  }
  int64_t index_of(const Action& a) const {
    return a.frequency.count <= 0 ? 0 : counted(a.frequency.unit) / a.frequency.count;
  }

  // In the order in which they come where several are due: what callbacks have changed is in the checkpoint.
  void add_actions() {
    actions.push_back({options.progress, [this](int64_t) { summarize(); }});
    if (options.cross_validation)
      actions.push_back({options.cross_validation->frequency, [this](int64_t i) { cross_validate(i); }});
    actions.push_back({options.progress, [this](int64_t) { end_epoch(); }});
    if (options.checkpoint)
      actions.push_back({options.checkpoint->frequency, [this](int64_t i) { save(i); }});
  }

  template <class... P, class... A>
  void tell(void (Callback::*what)(TrainingSession&, P...), A&&... arguments) {
    for (const CallbackPtr& c : options.callbacks) ((*c).*what)(session, arguments...);
  }

  void summarize() { trainer->summarize_training_progress(); }

  void end_epoch() {
    EpochRecord record = epoch.end(*trainer);
    tell(&Callback::on_epoch_end, record);
  }

  std::string checkpoint_name(int64_t index) const {
    const CheckpointConfig& c = *options.checkpoint;
    return c.preserve_all ? c.filename + std::to_string(index) : c.filename;
  }

  void save(int64_t index) {
    finish_checkpoint();
    tell(&Callback::on_checkpoint_start, index);
    last_checkpoint = index;
    write(checkpoint_name(index));
    may_take_in = true;
    if (is_distributed())  // all have waited for the file
      tell(&Callback::on_checkpoint_end, index);
    else if (!options.checkpoint->in_background)
      finish_checkpoint();
  }

  void write(const std::string& path) {
    Dictionary external = state_of_loop();
    external[kSourceState] = source->state();
    if (is_distributed()) external[kSourcesOfWorkers] = states_of_sources();
    if (is_distributed())
      trainer->write_checkpoint(path, external);
    else
      checkpoints.write(*trainer, path, external);
  }

  Dictionary state_of_loop() const {
    DictionaryVector states;
    for (const CallbackPtr& c : options.callbacks) states.push_back(c->state());
    return {{kEpochState, epoch.state()}, {kCallbackStates, std::move(states)}};
  }

  // Each worker's source stands behind its own last sequence.
  DictionaryVector states_of_sources() const {
    DictionaryVector all;
    for (const std::string& s : trainer->workers()->gather(source->state().to_bytes(), "sources"))
      all.push_back(Dictionary::from_bytes(s));
    return all;
  }

  // Each worker's source goes on where its own was; on another number of workers all of them with what none
  // has taken.
  void restore_source(const Dictionary& external) {
    std::vector<Dictionary> all;
    if (const DictionaryValue* found = external.find(kSourcesOfWorkers))  // of a training with workers
      for (const DictionaryValue& v : found->as<DictionaryVector>()) all.push_back(v.as<Dictionary>());
    const WorkerShare share = trainer->share();
    source->set_share(share);
    if (all.size() == static_cast<size_t>(share.workers))
      source->restore(all[share.rank]);
    else if (all.empty())
      source->restore(external.at(kSourceState).as<Dictionary>());
    else
      source->restore_from_workers(all);
  }

  // Waits for the checkpoint that is being written, if there is one.
  void finish_checkpoint() {
    if (checkpoints.wait()) tell(&Callback::on_checkpoint_end, last_checkpoint);
  }

  bool is_distributed() const { return trainer->workers() != nullptr; }

  struct Tested {
    double average = 0;
    int64_t samples = 0, minibatches = 0;
  };
  // Starts at the source's position and restores it.
  Tested test(const TestConfig& c) {
    const Dictionary position = c.source->state();
    try {
      const Tested t = tested(c);
      c.source->restore(position);
      trainer->summarize_test_progress();
      return t;
    } catch (const Error&) {  // those who go on without a lost worker test once more
      if (trainer->has_lost_worker()) c.source->restore(position);
      throw;
    }
  }
  Tested tested(const TestConfig& c) {
    Tested t;
    double sum = 0;
    FeedMinibatch minibatch;
    int64_t left = c.max_samples.value_or(ArraySource::kEndless);
    // Every worker tests its share, until none of them has any left.
    const bool together = is_distributed();
    c.source->set_share(together ? WorkerShare{trainer->workers()->size(), trainer->workers()->rank()}
                                 : WorkerShare{});
    for (;;) {
      const bool goes_on = left > 0 && (!minibatch.sweep_end || c.max_samples || !c.source->is_infinite());
      const int64_t size = std::min(left, cantik::size_at(c.minibatch_size, t.samples, 0));
      std::optional<FeedMinibatch> next = goes_on ? c.source->next(size) : std::nullopt;
      if (!next && !together) break;
      if (next)
        minibatch = *std::move(next);
      else
        minibatch.feeds.clear();
      double average = trainer->test_minibatch(
          minibatch.feeds, {.threads = options.threads, .distributed = together, .device = device});
      int64_t n = trainer->previous_test_sample_count();
      if (n == 0 && together) break;
      sum += average * static_cast<double>(n);
      t.samples += n;
      ++t.minibatches;
      left -= n;
    }
    if (t.samples > 0) t.average = sum / static_cast<double>(t.samples);
    return t;
  }

  void cross_validate(int64_t index) {
    const CrossValidationConfig& c = *options.cross_validation;
    tell(&Callback::on_cross_validation_start, index);
    Tested t = c.test.source ? test(c.test) : Tested();
    if (c.test.source) epoch.validated(t.average);
    ended |= c.callback && !c.callback(index, t.average, t.samples, t.minibatches);
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
    finish_checkpoint();
    Dictionary external = trainer->restore_from_checkpoint(path);
    take_over(external, path);  // first: callbacks may know of data that are not those of the training
    restore_source(external);
    for (Action& a : actions) {
      a.index = index_of(a);
      // The last time that was due, as in CNTK; what the end of the other training did is done again.
      a.last_count = a.index * a.frequency.count;
    }
  }

  void take_over(const Dictionary& external, const std::string& path) {
    const DictionaryValue* of_epoch = external.find(kEpochState);  // CNTK's checkpoints have none
    epoch.restore(of_epoch ? of_epoch->as<Dictionary>() : Dictionary());
    if (const DictionaryValue* states = external.find(kCallbackStates)) restore_callbacks(*states, path);
  }

  // ---- workers that come and go

  // What a worker that is further than another tells it.
  Dictionary state_for_others() const {
    Dictionary d = state_of_loop();
    DictionaryVector all;
    for (const Action& a : actions)
      all.push_back(DictionaryVector{static_cast<uint64_t>(a.index), static_cast<uint64_t>(a.last_count)});
    d[kActionStates] = Dictionary{{"actions", std::move(all)}, {"ended", ended}};
    return d;
  }

  // The workers are others: what nobody has taken is shared out anew. `further`: what another worker has told
  // this one, if it was further.
  void share_anew(const Dictionary& further) {
    source->set_share(trainer->share());
    if (const std::vector<Dictionary> places = trainer->places(); !places.empty())
      source->restore_from_workers(places);
    may_take_in = begins = false;
    if (further.size() == 0) return;
    take_over(further, "");
    const auto& d = further.at(kActionStates).as<Dictionary>();
    ended = d.at("ended").as<bool>();
    const auto& all = d.at("actions").as<DictionaryVector>();
    for (size_t i = 0; i < actions.size() && i < all.size(); ++i) {
      const auto& a = all[i].as<DictionaryVector>();
      actions[i].index = static_cast<int64_t>(a.at(0).as<uint64_t>());
      actions[i].last_count = static_cast<int64_t>(a.at(1).as<uint64_t>());
    }
  }

  void take_in() {
    may_take_in = false;
    if (trainer->take_in(state_for_others())) share_anew({});
  }

  // Each worker has the callbacks that its program gives it, often the main one alone some: what another
  // worker tells, and what the main one has saved, need not be the states of this one's.
  bool may_be_of_others(const std::string& path) const {
    return path.empty() || (is_distributed() && trainer->workers()->rank() > 0);
  }

  void restore_callbacks(const DictionaryValue& states, const std::string& path) const {
    const DictionaryVector& list = states.as<DictionaryVector>();
    const bool are_ours = list.size() == options.callbacks.size();
    if (!are_ours && may_be_of_others(path)) return;
    if (!are_ours)
      throw runtime_error(cat("the checkpoint has the states of ", list.size(),
                              " callbacks, but the training has ", options.callbacks.size()))
          .line("file", path)
          .remedy("go on with the callbacks of the training that was saved");
    for (size_t i = 0; i < list.size(); ++i) options.callbacks[i]->restore(list[i].as<Dictionary>());
  }

  // What will be asked for after the minibatch at hand.
  void expect_next(bool sweep_end) {
    if (is_distributed()) return;  // how many samples the others have is known after the exchange
    int64_t n = trainer->samples_in(minibatch.feeds), samples = trainer->total_number_of_samples_seen() + n;
    if (n > 0 && samples < options.max_samples)
      source->expect(
          std::min(options.max_samples - samples, size_at(samples, seen(DataUnit::sweep) + sweep_end)));
  }

  void train(const std::optional<Device>& on) {
    if (trains.exchange(true))
      throw runtime_error("the session trains already").remedy("call train() again when it has ended");
    struct NoLonger {
      std::atomic<bool>& trains;
      ~NoLonger() { trains = false; }
    } at_the_end{trains};
    device = on;
    ended = was_interrupted = may_take_in = false;
    begins = true;
    struct NoPlace {
      Trainer& trainer;
      ~NoPlace() { trainer.set_place(nullptr); }
    } afterwards{*trainer};
    try {
      train_from_checkpoint();
    } catch (const Error& e) {
      throw with_checkpoint(e);
    } catch (...) {  // the user's own: it stays as it is
      checkpoints.settle();
      throw;
    }
  }

  // What went wrong with the checkpoint that is being written is said with the error that ends the training.
  Error with_checkpoint(const Error& e) {
    try {
      checkpoints.wait();
      return e;
    } catch (const Error& of_checkpoint) {
      return std::string_view(of_checkpoint.what()) == e.what()
                 ? e
                 : Error(e).line("checkpoint", of_checkpoint.what());
    }
  }

  void train_from_checkpoint() {
    int64_t restored = 0;
    if (trainer->is_elastic()) {
      trainer->set_place([this] { return source->state().to_bytes(); });
      if (const std::string door = trainer->workers()->door(); !door.empty())
        trainer->tell(" New workers may come to CANTIK_JOIN=" + door);
    }
    if (trainer->is_new())
      share_anew(trainer->wait_to_be_taken_in());
    else if (options.checkpoint && options.checkpoint->restore)
      if (std::string path = latest_checkpoint(); !path.empty()) {
        restore(path);
        restored = trainer->total_number_of_samples_seen();
      }
    epoch.begin_clock();
    tell(&Callback::on_training_start);
    for (bool done = false; !done;) {
      try {
        while (train_minibatch() && !interrupted) {
        }
        done = true;
        finish(restored);
      } catch (const Error& e) {  // of a worker that was lost; without it the others go on
        if (!trainer->has_lost_worker()) throw;
        done = false;
        share_anew(trainer->meet_again(state_for_others(), e.what()));
      }
    }
  }

  void finish(int64_t restored) {
    was_interrupted = interrupted.exchange(false);
    if (was_interrupted) {
      if (options.checkpoint) save(index_of({options.checkpoint->frequency, {}}));
      return finish_checkpoint();
    }
    // What happened since the last time is told, too; as in CNTK in the action's own unit: of a sweep that
    // has not ended, an action that counts sweeps knows nothing.
    if (restored != trainer->total_number_of_samples_seen())
      for (Action& a : actions)
        if (const int64_t count = counted(a.frequency.unit); count != a.last_count) {
          a.act(a.index);
          a.last_count = count;
          trainer->has_acted();
        }
    finish_checkpoint();
    if (options.checkpoint && options.checkpoint->preserve_all) {
      write(options.checkpoint->filename);
      checkpoints.wait();
    }
    tell(&Callback::on_training_end);
    if (options.test) test(*options.test);
  }

  // False: that was the last one.
  bool train_minibatch() {
    int64_t samples = trainer->total_number_of_samples_seen(),
            left = ended ? 0 : options.max_samples - samples;
    tell(&Callback::on_minibatch_start);
    if (const WorkerShare share = trainer->share(); begins || share != source->share()) {
      source->set_share(share);
      if (trainer->is_elastic() && share.workers > 1) trainer->tell_places();
      begins = false;
    }
    std::optional<FeedMinibatch> next;
    if (left > 0) next = source->next(std::min(left, size_at(samples, seen(DataUnit::sweep))));
    bool go_on = next.has_value();
    minibatch = std::move(next).value_or(FeedMinibatch{});
    if (go_on) expect_next(minibatch.sweep_end);
    go_on = go_on || is_distributed();  // others may have data; the training ends when none has
    go_on =
        go_on &&
        trainer->train_minibatch(
            minibatch.feeds,
            {.sweep_end = minibatch.sweep_end, .threads = options.threads, .again = false, .device = device});
    if (go_on && trainer->previous_minibatch_sample_count() > 0) epoch.add(*trainer);
    tell(&Callback::on_minibatch_end);
    if (checkpoints.is_written()) finish_checkpoint();
    for (Action& a : actions) {
      int64_t index = index_of(a);
      if (index == a.index) continue;
      a.act(a.index);
      trainer->has_acted();
      a.index = index;
      a.last_count = counted(a.frequency.unit);
    }
    if (may_take_in) take_in();
    return go_on;
  }
};

TrainingSession::TrainingSession(std::shared_ptr<Trainer> trainer, std::shared_ptr<FeedSource> source,
                                 SessionOptions options)
    : impl_(new Impl{*this, std::move(trainer), std::move(source), std::move(options)}) {
  const SessionOptions& o = impl_->options;
  if (!impl_->trainer) throw value_error("Trainer is not allowed to be null.");
  if (!impl_->source) throw value_error("Training source is not allowed to be null.");
  if (o.max_samples <= 0) throw value_error("maxNumTrainingSamples must not be zero.");
  for (const TrainingParameterSchedule::Step& s : o.minibatch_size.steps())
    if (!(s.value >= 1)) throw value_error(cat("minibatch_size must be at least 1, and is ", s.value));
  if (o.checkpoint && o.checkpoint->filename.empty())
    throw value_error("Checkpoint file name is not allowed to be empty.");
  check_not_null(o.callbacks, "a callback");
  if (o.test && !o.test->source) throw value_error("a test configuration needs a source");
  impl_->add_actions();
}

TrainingSession::~TrainingSession() = default;
void TrainingSession::train(const std::optional<Device>& device) { impl_->train(device); }
void TrainingSession::end() { impl_->ended = true; }
void TrainingSession::interrupt() { impl_->interrupted = true; }
bool TrainingSession::is_ended() const { return impl_->ended; }
bool TrainingSession::is_interrupted() const { return impl_->was_interrupted; }
const std::shared_ptr<Trainer>& TrainingSession::trainer() const { return impl_->trainer; }

void TrainingSession::restore_from_checkpoint(const std::string& path) {
  if (!impl_->options.checkpoint) throw value_error("the session has no checkpoint configuration");
  impl_->restore(path);
}

void TrainingSession::write(const std::string& name, double value) const {
  for (const ProgressWriterPtr& w : impl_->trainer->progress_writers()) w->write(name, value);
}

}  // namespace cantik
