#include <memory>
#include <vector>

#include <cantik/evaluator.h>

#include <cantik/error.h>

#include "train/work.h"

namespace cantik {

Evaluator::Evaluator(Variable metric, std::vector<ProgressWriterPtr> writers)
    : Evaluator(std::move(metric), std::move(writers), false) {}

Evaluator::Evaluator(Variable metric, std::vector<ProgressWriterPtr> writers, bool may_lack_metric)
    : writers_(std::move(writers)), work_(std::make_unique<Work>()) {
  if (!metric && !may_lack_metric) throw value_error("Eval function is not allowed to be null.");
  for (const ProgressWriterPtr& w : writers_)
    if (!w) throw value_error("a progress writer is a null pointer");
  work_->metric = std::move(metric);
}

Evaluator::~Evaluator() = default;

double Evaluator::test_minibatch(const Feeds& feeds, const TrainOptions& options) {
  std::vector<Value> values;
  return test_minibatch(feeds, {}, values, options);
}

double Evaluator::test_minibatch(const Feeds& feeds, const std::vector<Variable>& outputs,
                                 std::vector<Value>& values, const TrainOptions& options) {
  Work& w = *work_;
  if (!w.metric)
    throw value_error(
        "Evaluator::TestMinibatch: Cannot test when no evaluation function was specified during "
        "construction.")
        .remedy(
            "give the trainer a pair of loss and metric, for example (cross_entropy_with_softmax(z, y), "
            "classification_error(z, y))");
  if (!w.test) {
    Variable counted = training::counted(w.metric);
    if (!counted)
      throw value_error(
          "Evaluator: Failed to find a variable underlying the graph rooted at the evaluation function, from "
          "which the sample count can be determined.")
          .node(w.metric.text());
    w.test =
        std::make_unique<training::TrainingStep>(std::vector<Variable>{training::total(w.metric)}, counted);
  }
  w.test_samples = w.test->run(feeds, outputs, options);
  double metric = w.test->scalar(0);
  values.clear();
  for (size_t i = 0; i < outputs.size(); ++i) values.push_back(w.test->value(i));
  w.told_metric.add(metric, w.metric.dtype());
  for (const ProgressWriterPtr& p : writers_) p->update_test_to(w.test_samples, w.told_metric.sum);
  return w.test_samples > 0 ? metric / static_cast<double>(w.test_samples) : 0;
}

int64_t Evaluator::previous_test_sample_count() const { return work_->test_samples; }

void Evaluator::summarize_test_progress() {
  for (const ProgressWriterPtr& p : writers_) p->write_test_summary_of(work_->told_metric.sum);
  work_->told_metric = {};
}

Variable Evaluator::evaluation_function() const { return work_->metric; }

}  // namespace cantik
