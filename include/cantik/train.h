// Training loops: minibatches from a source, progress, checkpoints, cross-validation and a final test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cantik/callback.h>
#include <cantik/io.h>
#include <cantik/option_field.h>
#include <cantik/trainer.h>

namespace cantik {

// What a Frequency counts.
enum class DataUnit : uint8_t { sweep = 0, sample = 1, minibatch = 2 };

// Something happens whenever so many more have been seen, and at the end of training. 0: at the end only.
struct Frequency {
  int64_t count = 0;                 // of so many one
  DataUnit unit = DataUnit::sample;  // what is counted
};

// The values of one minibatch, for the inputs of a network.
struct FeedMinibatch {
  Feeds feeds = {};        // a value for each input
  bool sweep_end = false;  // a sweep over the data ends in it
};

// Where a loop gets its minibatches from.
class CANTIK_API FeedSource : public Stateful {
 public:
  // From now on next() gives one worker's part of each minibatch. All workers ask for the same minibatches.
  void set_share(const WorkerShare& share);
  // Whose part of a minibatch next() gives.
  const WorkerShare& share() const { return share_; }

  // The next minibatch, of at most so many samples over all workers; of one worker at least one sample, of
  // several perhaps none: no feeds at all. Nothing: there are no more.
  virtual std::optional<FeedMinibatch> next(int64_t samples) = 0;
  // Whether the data never end: a test over such a source ends with its sweep.
  virtual bool is_infinite() const { return false; }
  // Goes on where the workers of a training were, each with a state, as one of share().workers: together they
  // bring what nobody has taken yet. By itself the first state is taken for that of all.
  virtual void restore_from_workers(std::span<const Dictionary> states) { restore(states.front()); }
  // The next call will ask for so many, once what was got has been trained on: a source may begin with it
  // now, on a thread of its own.
  virtual void expect(int64_t samples) { (void)samples; }

 private:
  WorkerShare share_;
};

// For each input a tensor whose first axis counts the samples, dense or with sparse rows.
using Arrays = std::vector<std::pair<Variable, Tensor>>;

// Data in memory, from the first sample to the last, again and again: views, no copies. A minibatch does not
// reach over the end of a sweep. Where there are sequences, it has as many as have no more steps together
// than were asked for (in the input with most), and at least one.
class CANTIK_API ArraySource : public FeedSource {
 public:
  // A number of samples that is never reached.
  static constexpr int64_t kEndless = INT64_MAX;
  // All the rows of each tensor; the data end after `max_samples` samples.
  explicit ArraySource(const Arrays& arrays, int64_t max_samples = kEndless);
  // All the samples or sequences of each input; `max_samples` counts sequences where there are some.
  explicit ArraySource(Feeds data, int64_t max_samples = kEndless);

  std::optional<FeedMinibatch> next(int64_t samples) override;
  bool is_infinite() const override { return max_samples_ == kEndless; }
  int64_t rows() const { return rows_; }  // samples, or sequences
  // Whether an input has a sequence axis.
  bool has_sequences() const { return has_sequences_; }
  // The data end after so many sweeps.
  void end_after(int64_t sweeps);
  // Each sweep has an order of its own, which the seed and the sweep's number say. Minibatches are copies.
  void shuffle(uint64_t seed);
  Dictionary state() const override;
  void restore(const Dictionary& state) override;

 private:
  int64_t sample(int64_t place) const;  // which one stands at this place of the sweep
  int64_t count(int64_t samples) const;
  void order_sweep();
  Value part(const Value& value, int64_t begin, int64_t count) const;
  Feeds data_;
  int64_t rows_ = 0, max_samples_, cursor_ = 0, total_ = 0;
  bool has_sequences_ = false;
  std::shared_ptr<const Layout> layout_;
  std::optional<uint64_t> seed_;  // of the orders
  int64_t ordered_ = -1;          // the sweep whose order there is
  std::vector<int64_t> order_;
};

// A source of streams as a loop takes it: minibatches are counted in samples, each input gets its stream.
// `within_sweep`: a minibatch ends with its sweep at the latest.
CANTIK_API std::shared_ptr<FeedSource> feed_source(SourcePtr source, InputStreams inputs,
                                                   bool within_sweep = false);

// Whether, where and how often a loop writes checkpoints.
struct CheckpointConfig {
  std::string filename;       // the file that checkpoints are written to
  Frequency frequency = {};   // how often
  bool restore = true;        // goes on where the file (or the last of several) stopped, if there is one
  bool preserve_all = false;  // each in a file of its own: its number is added to the name
  // The state is copied and written on a thread of its own while the training goes on. The next checkpoint,
  // the end of the training and an error wait for it.
  bool in_background = true;

  // The options by name.
  static constexpr auto fields() {
    using O = CheckpointConfig;
    return list(option("filename", &O::filename).required(), option("frequency", &O::frequency),
                option("restore", &O::restore), option("preserve_all", &O::preserve_all),
                option("in_background", &O::in_background).cpp_only());
  }
};

// A test at the end of the training.
struct TestConfig {
  std::shared_ptr<FeedSource> source;             // of the data; it goes back to its place
  TrainingParameterSchedule minibatch_size = 32;  // in samples
  std::optional<int64_t> max_samples = {};        // how many are tested; none: to the end of data or sweep

  // The options by name.
  static constexpr auto fields() {
    using O = TestConfig;
    return list(option("source", &O::source).cpp_only(), option("minibatch_size", &O::minibatch_size),
                option("max_samples", &O::max_samples).at_least(0));
  }
};

// Tests during the training.
struct CrossValidationConfig {
  TestConfig test = {};      // without a source only the callback is called
  Frequency frequency = {};  // how often
  // called with (which, from 0; the average of the metric; samples; minibatches); false ends the training
  std::function<bool(int64_t index, double average, int64_t samples, int64_t minibatches)> callback = {};

  // The options by name.
  static constexpr auto fields() {
    using O = CrossValidationConfig;
    return list(option("test", &O::test).cpp_only(), option("frequency", &O::frequency),
                option("callback", &O::callback));
  }
};

// Options of a TrainingSession.
struct SessionOptions {
  TrainingParameterSchedule minibatch_size = 32;               // in samples
  int64_t max_samples = ArraySource::kEndless;                 // as the learners count them
  Frequency progress = {};                                     // an epoch: when the writers summarize
  std::optional<CheckpointConfig> checkpoint = {};             // where and how often; none: no checkpoints
  std::optional<CrossValidationConfig> cross_validation = {};  // tests during the training
  std::optional<TestConfig> test = {};                         // a test at its end
  int threads = 0;                                             // at most; 0: as many as set_thread_limit says
  std::vector<CallbackPtr> callbacks = {};                     // called in this order

  // The options by name.
  static constexpr auto fields() {
    using O = SessionOptions;
    return list(option("minibatch_size", &O::minibatch_size), option("max_samples", &O::max_samples),
                option("progress", &O::progress), option("checkpoint", &O::checkpoint),
                option("cross_validation", &O::cross_validation), option("test", &O::test),
                option("threads", &O::threads), option("callbacks", &O::callbacks));
  }
};

// A training from its first minibatch to its last, with checkpoints, cross-validation and a test on the way.
// Where several of them are due after the same minibatch, they come in this order: the summary of an epoch,
// cross-validation, callbacks, the checkpoint, which has the state of the callbacks too.
class CANTIK_API TrainingSession {
 public:
  // A session that trains `trainer` on the minibatches of `source`.
  TrainingSession(std::shared_ptr<Trainer> trainer, std::shared_ptr<FeedSource> source,
                  SessionOptions options);
  ~TrainingSession();

  // Trains to the end of the data, to max_samples, or until it is ended; on this device, or where Device::use
  // says. Within a callback of the same training it is an error.
  void train(const std::optional<Device>& device = {});
  // The training ends after the minibatch at hand, as if its data had ended: with a summary and a test.
  void end();
  // The same from another thread or a handler of signals, and without a summary and a test: a checkpoint is
  // written where one is configured, from which the next training goes on.
  void interrupt();
  // Whether end() ended the training.
  bool is_ended() const;
  // Whether interrupt() ended it.
  bool is_interrupted() const;
  // Puts trainer and source back to where a checkpoint was written.
  void restore_from_checkpoint(const std::string& path);
  // The trainer.
  const std::shared_ptr<Trainer>& trainer() const;
  // Tells the writers a number by its name.
  void write(const std::string& name, double value) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Averages over some samples.
struct Summary {
  double loss = 0, metric = 0;  // averages over the samples
  int64_t samples = 0;          // as the loss counts them
};
// What train() measured: an average for each window and epoch, and that of the test.
struct TrainingSummary {
  std::vector<Summary> updates, epoch_summaries;  // averages of windows, and of epochs
  std::optional<Summary> test;                    // of its end
};

// A writer that keeps what a training measures: an average for each window of `every` minibatches, and for
// each summary.
class CANTIK_API TrainingCollector final : public ProgressWriter {
 public:
  // One of windows of so many minibatches; WriteFrequency::kNever: none.
  explicit TrainingCollector(int64_t every) : ProgressWriter({every}, {WriteFrequency::kNever}) {}
  // What it has been told so far.
  TrainingSummary summary;

  void on_write_training_update(const ProgressWindow& window) override;
  void on_write_training_summary(const ProgressSummary& summary) override;
  void on_write_test_summary(const ProgressSummary& summary) override;
};

// Options of train(): how long it goes on, and what happens on the way.
//
// What the learners have seen before counts: a second train() with the same learners and max_epochs = 4 goes
// on after the two epochs of the first. Where nothing is left to train it is an error.
struct TrainConfig {
  // measured beside the loss; without it there is none
  Variable metric = {};
  // samples of a minibatch; steps where there are sequences
  TrainingParameterSchedule minibatch_size = 32;
  // when it ends; 1 where neither this nor max_samples is given
  std::optional<int64_t> max_epochs = {};
  // in samples; none: a sweep over data in memory
  std::optional<int64_t> epoch_size = {};
  // when it ends, in place of max_epochs
  std::optional<int64_t> max_samples = {};
  // when writers summarize, in samples; none: an epoch
  std::optional<int64_t> progress_frequency = {};
  // minibatches of an entry of TrainingSummary::updates; none: as the first writer, or once an epoch
  std::optional<int64_t> updates_every = {};
  // told of the progress
  std::vector<ProgressWriterPtr> writers = {};
  // where and how often; none: no checkpoints
  std::optional<CheckpointConfig> checkpoint = {};
  // tests during the training
  std::optional<CrossValidationConfig> cross_validation = {};
  // a test at its end
  std::optional<TestConfig> test = {};
  // at most; 0: as many as set_thread_limit says
  int threads = 0;
  // where it runs; none: where Device::use says
  std::optional<Device> device = {};
  // called in this order
  std::vector<CallbackPtr> callbacks = {};

  // The options by name.
  static constexpr auto fields() {
    using O = TrainConfig;
    return list(option("metric", &O::metric).cpp_only(), option("minibatch_size", &O::minibatch_size),
                option("max_epochs", &O::max_epochs).at_least(1),
                option("epoch_size", &O::epoch_size).at_least(1),
                option("max_samples", &O::max_samples).at_least(1),
                option("progress_frequency", &O::progress_frequency).at_least(0),
                option("updates_every", &O::updates_every).cpp_only().at_least(1),
                option("writers", &O::writers).cpp_only(), option("checkpoint", &O::checkpoint).cpp_only(),
                option("cross_validation", &O::cross_validation).cpp_only(),
                option("test", &O::test).cpp_only(), option("threads", &O::threads).cpp_only(),
                option("device", &O::device).cpp_only(), option("callbacks", &O::callbacks));
  }
};

// What a TrainingSession is asked for so that it trains as a TrainConfig says.
struct TrainingPlan {
  SessionOptions options;  // of the session
  // minibatches of an entry of TrainingSummary::updates
  int64_t updates_every = 0;
};
// The plan of a training on a source. Of data in memory an epoch is a sweep: where the loss counts steps of
// sequences, whose number is not known before, sweeps are counted. Of other sources epochs need an
// epoch_size. Counts that do not fit together are a ValueError.
CANTIK_API TrainingPlan training_plan(FeedSource& source, const TrainConfig& config);

// Trains the parameters of the learners on arrays.
CANTIK_API TrainingSummary train(const Variable& loss, const Arrays& data,
                                 const std::vector<LearnerPtr>& learners, const TrainConfig& config = {});
// On samples or sequences.
CANTIK_API TrainingSummary train(const Variable& loss, const Feeds& data,
                                 const std::vector<LearnerPtr>& learners, const TrainConfig& config = {});
// On all that a source brings.
CANTIK_API TrainingSummary train(const Variable& loss, std::shared_ptr<FeedSource> source,
                                 const std::vector<LearnerPtr>& learners, const TrainConfig& config = {});

// Options of test().
struct TestOptions {
  // samples of a minibatch; steps where there are sequences
  int64_t minibatch_size = 32;
  // told of the progress
  std::vector<ProgressWriterPtr> writers = {};
  // at most; 0: as many as set_thread_limit says
  int threads = 0;

  // The options by name.
  static constexpr auto fields() {
    using O = TestOptions;
    return list(option("minibatch_size", &O::minibatch_size).at_least(1), option("writers", &O::writers),
                option("threads", &O::threads).cpp_only());
  }
};

// The average of the metric over arrays.
CANTIK_API Summary test(const Variable& metric, const Arrays& data, const TestOptions& options = {});
// Over samples or sequences.
CANTIK_API Summary test(const Variable& metric, const Feeds& data, const TestOptions& options = {});
// Over all that a source brings, up to its end.
CANTIK_API Summary test(const Variable& metric, FeedSource& source, const TestOptions& options = {});

}  // namespace cantik
