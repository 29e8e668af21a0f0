// Progress of training and testing, told in windows of several updates: to logs, to terminals, to users' own
// writers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/api.h>
#include <cantik/learner.h>
#include <cantik/option_field.h>

namespace cantik {

// When a writer is told: after each of the first updates, then after every so many. 0: after 1, 3, 7, 15, ...
// updates.
struct WriteFrequency {
  // A frequency of a writer that is never told.
  static constexpr int64_t kNever = INT64_MAX;
  // A frequency of 1, 3, 7, 15, ... updates.
  static constexpr int64_t kDoubling = 0;
  int64_t every = kNever;  // of so many updates one is told of
  int64_t first = 0;       // so many are told of one by one
  // Whether a writer is told after so many updates.
  bool due(int64_t updates) const {
    if (every == kDoubling) return ((updates + 1) & updates) == 0;
    return updates <= first || updates % every == 0;
  }
};

// A count at the last time something was written, and now; both from the last summary on.
using CountRange = std::pair<int64_t, int64_t>;
// Sums at the last time something was written, and now.
using SumRange = std::pair<double, double>;

// What happened since something was written the last time. Losses and metrics are sums: divide their
// differences by that of the samples.
struct ProgressWindow {
  CountRange samples = {}, updates = {};  // counted by the loss, and by minibatches
  // of a test: nothing
  SumRange loss = {};
  SumRange metric = {};  // of a training without one: 0
};

// What happened since the last summary. Losses and metrics are sums: divide them by the samples.
struct ProgressSummary {
  int64_t samples = 0, updates = 0;  // counted by the loss, and by minibatches
  // how many there have been, with this one
  int64_t summaries = 0;
  // of a test: 0
  double loss = 0;
  double metric = 0;                 // of a training without one: 0
  int64_t elapsed_milliseconds = 0;  // since the last one
};

// Counts, and calls the virtual functions below when their time has come. Used from one thread at a time.
class CANTIK_API ProgressWriter {
 public:
  // A writer that is told of training, tests and exchanges between workers this often.
  explicit ProgressWriter(WriteFrequency training = {}, WriteFrequency test = {}, WriteFrequency sync = {});
  virtual ~ProgressWriter() = default;
  ProgressWriter(const ProgressWriter&) = delete;

  // After a minibatch: sums over its samples, without a metric where the training has none.
  void update_training(int64_t samples, double loss, std::optional<double> metric);
  // After a minibatch of a test: the sum of the metric over its samples.
  void update_test(int64_t samples, double metric);
  // After an exchange between workers.
  void update_distributed_sync(int64_t samples, double metric);
  // Of all updates since the last summary.
  void write_training_summary();
  // Of all updates of a test since the last summary.
  void write_test_summary();
  // The same from a trainer or an evaluator: how many samples a minibatch had, and the sums since that
  // trainer's own last summary. As in CNTK, a writer that several of them tell counts the samples of all, but
  // its sums are those of the trainer that tells it.
  void update_training_to(int64_t samples, double loss, std::optional<double> metric);
  // The same for a test.
  void update_test_to(int64_t samples, double metric);
  // Ends a window with the sums that the trainer counted since its own last summary.
  void write_training_summary_of(double loss, double metric);
  // The same for a test.
  void write_test_summary_of(double metric);

  // Anything else worth telling: a rate that changed.
  virtual void write(const std::string& key, double value) { (void)key, (void)value; }

  // A line for people: what a worker has done since the last summary.
  virtual void tell(const std::string& line) { (void)line; }

  // How many minibatches of training it was told of.
  int64_t total_training_updates() const { return training_.total; }
  // How many minibatches of tests it was told of.
  int64_t total_test_updates() const { return test_.total; }
  // How often it is told of training.
  const WriteFrequency& training_frequency() const { return training_.frequency; }
  // How often it is told of tests.
  const WriteFrequency& test_frequency() const { return test_.frequency; }

  // What a writer does, to be overridden. A window of the training has ended.
  virtual void on_write_training_update(const ProgressWindow& window);
  virtual void on_training_update_end() {}                    // after each training update, written or not
  virtual void on_nan_loss(int64_t update) { (void)update; }  // the first time that a loss is not a number
  // A window of a test has ended.
  virtual void on_write_test_update(const ProgressWindow& window);
  // A window of exchanges between workers has ended.
  virtual void on_write_distributed_sync_update(const ProgressWindow& window);
  // A summary of the training.
  virtual void on_write_training_summary(const ProgressSummary& summary);
  // A summary of a test.
  virtual void on_write_test_summary(const ProgressSummary& summary);

 protected:
  bool has_metric() const { return has_metric_; }  // of the training whose update came last

 private:
  struct Sums {
    int64_t samples = 0, updates = 0;
    double loss = 0, metric = 0;
  };
  struct Window {
    WriteFrequency frequency;
    Sums now, written;
    int64_t total = 0, summaries = 0;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    bool reach(int64_t samples, double loss, double metric);  // true: it is time to write
    int64_t milliseconds() const;
    void restart();
  };
  Window training_, test_, sync_;
  bool has_metric_ = true, told_of_nan_ = false;
};

// How writers are handed on.
using ProgressWriterPtr = std::shared_ptr<ProgressWriter>;

// Where lines of text go. Nothing is printed unless the user hands in a sink that does.
using TextSink = std::function<void(std::string_view line)>;
// Lines go to standard output.
CANTIK_API TextSink to_stdout();
// standard error, text as it is; nothing where that is no terminal
CANTIK_API TextSink to_terminal();
CANTIK_API TextSink to_file(const std::string& path);  // overwrites; each line is flushed

// Options of ProgressPrinter, under CNTK's names.
struct ProgressPrinterOptions {
  // a line after every so many minibatches; none: summaries only; 0: a table at 1, 3, 7, 15, ... minibatches
  std::optional<int64_t> freq = {};
  int64_t first = 0;                             // so many minibatches are told of one by one
  std::string tag = {};                          // in front of summaries
  std::optional<std::string> log_to_file = {};   // the file that the lines go to; none: to the terminal
  std::optional<int64_t> rank = {};              // of a worker: its number is added to the file's name
  bool gen_heartbeat = false;                    // a line every ten seconds, for programs that watch
  std::optional<int64_t> num_epochs = {};        // how many there will be, for "Epoch 1 of 9"
  std::optional<int64_t> test_freq = {};         // minibatches of a line while testing; none: summaries only
  int64_t test_first = 0;                        // so many minibatches of tests are told of one by one
  bool metric_is_pct = true;                     // metrics are shown as percentages
  std::optional<int64_t> distributed_freq = {};  // exchanges of a line; none: none is told of
  int64_t distributed_first = 0;                 // so many exchanges are told of one by one

  // The options by name.
  static constexpr auto fields() {
    using O = ProgressPrinterOptions;
    return list(option("freq", &O::freq).at_least(0), option("first", &O::first).at_least(0),
                option("tag", &O::tag), option("log_to_file", &O::log_to_file), option("rank", &O::rank),
                option("gen_heartbeat", &O::gen_heartbeat), option("num_epochs", &O::num_epochs),
                option("test_freq", &O::test_freq).at_least(0),
                option("test_first", &O::test_first).at_least(0), option("metric_is_pct", &O::metric_is_pct),
                option("distributed_freq", &O::distributed_freq).at_least(0),
                option("distributed_first", &O::distributed_first).at_least(0));
  }
};

// Writes CNTK's log of a training, to the letter, but for figures that mean nothing: without a metric its
// lines are those that CNTK writes for loops of one's own without one, and a speed is not told of no time.
class CANTIK_API ProgressPrinter : public ProgressWriter {
 public:
  // A printer into `sink`, or into the file of options.log_to_file.
  explicit ProgressPrinter(ProgressPrinterOptions options = {}, TextSink sink = to_stdout());

  // Writes a line of text.
  void log(std::string_view message);
  // Ends a line of progress with a message.
  void end_progress_print(std::string_view message = {});
  void write(const std::string& key, double value) override;
  void tell(const std::string& line) override;

  // For loops that count by themselves: averages of minibatches, printed at the same times.
  struct Summary {
    double loss, metric;  // averages over the samples
    int64_t samples;      // of the epoch
  };
  // Adds a minibatch: the averages of its loss and metric.
  void update(double loss, int64_t minibatch_size, std::optional<double> metric = {});
  std::optional<Summary> epoch_summary(bool with_metric = false);  // none with freq 0
  // The average loss of all minibatches since reset_start().
  double avg_loss_since_start() const { return start_.loss_average(); }
  // The average metric of all minibatches since reset_start().
  double avg_metric_since_start() const { return start_.metric_average(); }
  // The average loss of the minibatches since reset_last(), or since a line was printed.
  double avg_loss_since_last() const { return last_.loss_average(); }
  // The average metric of the minibatches since reset_last(), or since a line was printed.
  double avg_metric_since_last() const { return last_.metric_average(); }
  // Sums over minibatches: of loss and metric, each times the samples.
  struct Totals {
    double loss = 0;      // the losses, each times its samples
    double metric = 0;    // the metrics, each times their samples
    int64_t samples = 0;  // of all minibatches
    int64_t updates = 0;  // the minibatches
    // The loss of a sample; 0 before the first.
    double loss_average() const { return samples == 0 ? 0 : loss / static_cast<double>(samples); }
    // The metric of a sample; 0 before the first.
    double metric_average() const { return samples == 0 ? 0 : metric / static_cast<double>(samples); }
  };
  // Of all minibatches since reset_start().
  const Totals& since_start() const { return start_; }
  // Of the minibatches since reset_last(), or since a line was printed.
  const Totals& since_last() const { return last_; }
  // How many minibatches update() was told of.
  int64_t total_updates() const { return total_updates_; }
  // How many epochs epoch_summary() has ended.
  int64_t epochs() const { return epochs_; }
  // Begins the averages of an epoch anew; returns those of before.
  Summary reset_start();
  // Begins the averages of a line anew; returns those of before.
  Summary reset_last();

  // What it was made with.
  const ProgressPrinterOptions& options() const { return options_; }

  void on_write_training_update(const ProgressWindow& window) override;
  void on_training_update_end() override;
  void on_nan_loss(int64_t update) override;
  void on_write_test_update(const ProgressWindow& window) override;
  void on_write_distributed_sync_update(const ProgressWindow& window) override;
  void on_write_training_summary(const ProgressSummary& summary) override;
  void on_write_test_summary(const ProgressSummary& summary) override;

 private:
  std::string amount(double average, int64_t samples) const;  // of a metric
  std::string epoch(int64_t number) const;
  bool tabular() const { return options_.freq == 0; }
  // an average of all samples, and of those since the last row
  using Numbers = std::optional<std::pair<double, double>>;
  void table_row(const Numbers& loss, const Numbers& metric, int64_t samples);
  void heartbeat();

  ProgressPrinterOptions options_;
  TextSink sink_, console_;
  int64_t epochs_ = 0, total_updates_ = 0;
  std::chrono::steady_clock::time_point epoch_begin_ = std::chrono::steady_clock::now(), next_heartbeat_{};
  Totals start_, last_;
};

// Calls back once an epoch with (its number from 0, the loss's and the metric's sum, the samples).
class CANTIK_API TrainingSummaryProgressCallback : public ProgressWriter {
 public:
  // What is called: the epoch's number from 0, the sums of loss and metric, the samples.
  using Callback = std::function<void(int64_t epoch, double loss, double metric, int64_t samples)>;
  // A writer that calls `callback` after every `epoch_size` updates.
  TrainingSummaryProgressCallback(int64_t epoch_size, Callback callback);
  void on_write_training_summary(const ProgressSummary& summary) override;

 private:
  Callback callback_;
};

// Options of ProgressBar.
struct ProgressBarOptions {
  int64_t samples = 0;                      // of an epoch; 0: unknown, no bar
  int64_t epochs = 0;                       // how many there will be; 0: unknown
  int64_t width = 30;                       // of the bar, in characters
  std::chrono::milliseconds interval{100};  // at most this often
  bool metric_is_pct = true;                // metrics are shown as percentages

  // The options by name.
  static constexpr auto fields() {
    using O = ProgressBarOptions;
    return list(option("samples", &O::samples).at_least(0), option("epochs", &O::epochs).at_least(0),
                option("width", &O::width).at_least(0).at_most(1000),
                option("metric_is_pct", &O::metric_is_pct));
  }
};

// One line on the terminal that is drawn again and again while an epoch goes on. What is no terminal gets
// nothing.
//
// The sink gets the text of the whole line, with a carriage return before it; the last one of an epoch ends
// in a new line.
class CANTIK_API ProgressBar : public ProgressWriter {
 public:
  // A bar that is drawn into `sink`.
  explicit ProgressBar(ProgressBarOptions options = {}, TextSink sink = to_terminal());
  void on_write_training_update(const ProgressWindow& window) override;
  void on_nan_loss(int64_t update) override;
  void on_write_training_summary(const ProgressSummary& summary) override;
  void on_write_test_summary(const ProgressSummary& summary) override;

 private:
  std::string line(int64_t samples, double loss, double metric, double seconds, int64_t epoch) const;
  void draw(const std::string& text, bool end);

  ProgressBarOptions options_;
  TextSink sink_;
  size_t drawn_ = 0;  // characters on the line
  int64_t epoch_ = 1;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), next_{};
};

}  // namespace cantik
