// Training and testing on arrays in one call.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <cantik/train.h>

#include <cantik/error.h>

#include "base/options.h"
#include "base/required.h"
#include "base/text.h"
#include "train/minibatch_size.h"

namespace cantik {
namespace {

double average(double sum, int64_t samples) { return samples == 0 ? 0 : sum / static_cast<double>(samples); }

// How many minibatches an entry of `updates` covers.
int64_t updates_every(const TrainConfig& c, const Frequency& progress) {
  if (c.updates_every) return *c.updates_every;
  if (!c.writers.empty()) return c.writers[0]->training_frequency().every;
  if (progress.count == 0 || progress.unit != DataUnit::sample) return WriteFrequency::kNever;
  const double size = c.minibatch_size[0];
  if (!(size >= 1)) return WriteFrequency::kNever;
  return std::max<int64_t>(progress.count / whole_size(size), 1);
}

// The product, or the largest number.
int64_t times(int64_t a, int64_t b) { return a > ArraySource::kEndless / b ? ArraySource::kEndless : a * b; }

// Learners count on from one training to the next. A checkpoint puts them back to its own count.
void check_is_anything_left(const Trainer& trainer, const SessionOptions& o) {
  const int64_t seen = trainer.total_number_of_samples_seen();
  if (seen < o.max_samples || (o.checkpoint && o.checkpoint->restore)) return;
  throw value_error(cat("nothing is left to train: the learners have seen ", seen,
                        " samples before, and the training ends at ", o.max_samples))
      .remedy("give new learners, or more max_epochs or max_samples: what learners have seen counts");
}

TrainingSummary train_on(std::shared_ptr<FeedSource> source, const Variable& loss,
                         const std::vector<LearnerPtr>& learners, const TrainConfig& c) {
  TrainingPlan plan = training_plan(*source, c);
  auto collector = std::make_shared<TrainingCollector>(plan.updates_every);
  std::vector<ProgressWriterPtr> all = c.writers;
  all.push_back(collector);
  auto trainer = std::make_shared<Trainer>(Function(), loss, c.metric, learners, all);
  check_is_anything_left(*trainer, plan.options);
  TrainingSession(trainer, std::move(source), std::move(plan.options)).train(c.device);
  if (!c.test) collector->summary.test.reset();
  return std::move(collector->summary);
}

}  // namespace

TrainingPlan training_plan(FeedSource& source, const TrainConfig& c) {
  if (c.max_epochs && c.max_samples) throw value_error("max_epochs and max_samples are mutually exclusive.");
  auto* arrays = dynamic_cast<ArraySource*>(&source);
  if (c.max_epochs && !c.epoch_size && !arrays)
    throw value_error("max_epochs requires epoch_size where the source is no array");
  check_options(c);
  check_not_null(c.writers, "a progress writer");
  const int64_t epochs = c.max_epochs.value_or(1);
  // The loss says what a sample is, a sequence or a step of one: then the source's sweeps are what can be
  // counted before.
  const bool by_sweeps = arrays && arrays->has_sequences() && !c.epoch_size && !c.max_samples;
  std::optional<int64_t> epoch = c.epoch_size;
  if (arrays && !epoch) epoch = arrays->rows();
  TrainingPlan plan;
  SessionOptions& o = plan.options;
  o.minibatch_size = c.minibatch_size;
  if (by_sweeps)
    arrays->end_after(epochs);
  else if (c.max_samples)
    o.max_samples = *c.max_samples;
  else if (epoch)
    o.max_samples = times(epochs, *epoch);
  if (by_sweeps && !c.progress_frequency)
    o.progress = {1, DataUnit::sweep};
  else
    o.progress = {c.progress_frequency.value_or(c.max_samples && !c.epoch_size ? 0 : epoch.value_or(0))};
  o.checkpoint = c.checkpoint;
  o.cross_validation = c.cross_validation;
  o.test = c.test;
  o.threads = c.threads;
  o.callbacks = c.callbacks;
  plan.updates_every = updates_every(c, o.progress);
  return plan;
}

void TrainingCollector::on_write_training_update(const ProgressWindow& w) {
  const int64_t n = w.samples.second - w.samples.first;
  summary.updates.push_back(
      {average(w.loss.second - w.loss.first, n), average(w.metric.second - w.metric.first, n), n});
}

void TrainingCollector::on_write_training_summary(const ProgressSummary& s) {
  summary.epoch_summaries.push_back({average(s.loss, s.samples), average(s.metric, s.samples), s.samples});
}

void TrainingCollector::on_write_test_summary(const ProgressSummary& s) {
  summary.test = {0, average(s.metric, s.samples), s.samples};
}

TrainingSummary train(const Variable& loss, const Arrays& data, const std::vector<LearnerPtr>& learners,
                      const TrainConfig& config) {
  return train_on(std::make_shared<ArraySource>(data), loss, learners, config);
}

TrainingSummary train(const Variable& loss, const Feeds& data, const std::vector<LearnerPtr>& learners,
                      const TrainConfig& config) {
  return train_on(std::make_shared<ArraySource>(data), loss, learners, config);
}

TrainingSummary train(const Variable& loss, std::shared_ptr<FeedSource> source,
                      const std::vector<LearnerPtr>& learners, const TrainConfig& config) {
  if (!source) throw value_error("a training loop needs a source");
  return train_on(std::move(source), loss, learners, config);
}

Summary test(const Variable& metric, const Arrays& data, const TestOptions& options) {
  ArraySource source(data);
  source.end_after(1);
  return test(metric, source, options);
}

Summary test(const Variable& metric, const Feeds& data, const TestOptions& options) {
  ArraySource source(data);
  source.end_after(1);
  return test(metric, source, options);
}

Summary test(const Variable& metric, FeedSource& source, const TestOptions& o) {
  check_options(o);
  Evaluator evaluator(metric, o.writers);
  Summary s;
  while (std::optional<FeedMinibatch> next = source.next(o.minibatch_size)) {
    double part = evaluator.test_minibatch(next->feeds, {.threads = o.threads});
    s.metric += part * static_cast<double>(evaluator.previous_test_sample_count());
    s.samples += evaluator.previous_test_sample_count();
  }
  evaluator.summarize_test_progress();
  s.metric = average(s.metric, s.samples);
  return s;
}

}  // namespace cantik
