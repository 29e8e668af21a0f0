#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include <cantik/evaluator.h>

#include <cantik/error.h>

#include "base/required.h"
#include "train/work.h"

namespace cantik {

Evaluator::Evaluator(Variable metric, std::vector<ProgressWriterPtr> writers)
    : Evaluator(std::move(metric), std::move(writers), false) {}

Evaluator::Evaluator(Variable metric, std::vector<ProgressWriterPtr> writers, bool may_lack_metric)
    : writers_(std::move(writers)), work_(std::make_unique<Work>()) {
  if (!metric && !may_lack_metric) throw value_error("Eval function is not allowed to be null.");
  check_not_null(writers_, "a progress writer");
  work_->metric = std::move(metric);
}

Evaluator::~Evaluator() = default;

double Evaluator::test_minibatch(const Feeds& feeds, const TrainOptions& options) {
  return test_minibatch(feeds, std::span<const Variable>(), options).average;
}

TestedStep Evaluator::test_minibatch(const Feeds& feeds, std::span<const Variable> outputs,
                                     const TrainOptions& options) {
  Work& w = *work_;
  if (!w.metric)
    throw value_error(
        "Evaluator::TestMinibatch: Cannot test when no evaluation function was specified during "
        "construction.")
        .remedy(
            "give the trainer a pair of loss and metric, for example (cross_entropy_with_softmax(z, y), "
            "classification_error(z, y))");
  if (!w.test) {
    Variable counted = training::counted(w.metric);  // none: of parameters alone
    std::vector<Variable> scalars{training::total(w.metric)};
    w.test = w.training ? std::make_unique<training::TrainingStep>(std::move(scalars), counted, *w.training)
                        : std::make_unique<training::TrainingStep>(std::move(scalars), counted);
  }
  if (!options.distributed) training::refuse_no_samples(feeds);
  const bool has_data = !options.distributed || !feeds.empty();
  w.test_samples = has_data ? w.test->run(feeds, {outputs.begin(), outputs.end()}, options) : 0;
  double metric = has_data ? w.test->scalar(0) : 0;
  TestedStep tested;
  if (has_data)
    for (size_t i = 0; i < outputs.size(); ++i) tested.outputs.push_back(w.test->value(i));
  if (options.distributed) {
    std::array<double, 2> sums = {static_cast<double>(w.test_samples), metric};
    (w.workers ? w.workers : Communicator::world())->sum(std::span<double>(sums), "metric of a test");
    w.test_samples = std::llround(sums[0]);
    metric = sums[1];
    if (w.test_samples == 0) return tested;  // with which the workers tell each other that they are done
  }
  w.told_metric.add(metric, w.metric.dtype());
  for (const ProgressWriterPtr& p : writers_) p->update_test_to(w.test_samples, w.told_metric.sum);
  if (w.test_samples > 0) tested.average = metric / static_cast<double>(w.test_samples);
  return tested;
}

int64_t Evaluator::previous_test_sample_count() const { return work_->test_samples; }

void Evaluator::summarize_test_progress() {
  for (const ProgressWriterPtr& p : writers_) p->write_test_summary_of(work_->told_metric.sum);
  work_->told_metric = {};
}

Variable Evaluator::evaluation_function() const { return work_->metric; }

}  // namespace cantik
