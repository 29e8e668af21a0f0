// Evaluator: a metric over test data, minibatch by minibatch.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <cantik/function.h>
#include <cantik/progress.h>

namespace cantik {

// How a minibatch is run.
struct TrainOptions {
  bool sweep_end = false;  // the minibatch is the last of a sweep over the data
  int threads = 0;         // at most; 0: as many as set_thread_limit says
  bool check_nan = false;  // name the first operator that makes a NaN
  // of a test: the minibatch is this worker's part of one that all workers test together
  bool distributed = false;
  // of a training whose learners are elastic: when a worker is lost, the others train on this minibatch once
  // more. Otherwise the loss is an error, for callers that share out the data anew.
  bool again = true;
  std::optional<Device> device = {};  // where it runs; none: where Device::use says
};

// The metric's average over a minibatch, and the outputs that were asked for.
struct TestedStep {
  double average = 0;               // of the metric over the samples
  std::vector<Value> outputs = {};  // in the order in which they were asked for
};

// Measures a metric over test data, minibatch by minibatch, and tells progress writers.
class CANTIK_API Evaluator {
 public:
  // An evaluator of a metric; `writers` are told of every minibatch.
  explicit Evaluator(Variable metric, std::vector<ProgressWriterPtr> writers = {});
  virtual ~Evaluator();
  Evaluator(const Evaluator&) = delete;

  // The metric's average over the samples of a minibatch.
  double test_minibatch(const Feeds& feeds, const TrainOptions& options = {});
  // The same, and outputs of the model: auto [average, values] = evaluator.test_minibatch(feeds, {z});
  TestedStep test_minibatch(const Feeds& feeds, std::span<const Variable> outputs,
                            const TrainOptions& options = {});
  TestedStep test_minibatch(const Feeds& feeds, std::initializer_list<Variable> outputs,
                            const TrainOptions& options = {}) {
    return test_minibatch(feeds, std::span(outputs.begin(), outputs.size()), options);
  }
  // The number of samples in the last minibatch, as the metric counts them.
  int64_t previous_test_sample_count() const;
  // Tells the writers the average since the last summary.
  void summarize_test_progress();

  Variable evaluation_function() const;  // empty if there is none
  // The writers that are told of the progress.
  const std::vector<ProgressWriterPtr>& progress_writers() const { return writers_; }

 protected:
  struct Work;
  Evaluator(Variable metric, std::vector<ProgressWriterPtr> writers, bool may_lack_metric);
  std::vector<ProgressWriterPtr> writers_;
  std::unique_ptr<Work> work_;
};

}  // namespace cantik
