// Training and testing on arrays in one call.
#include <memory>
#include <string>
#include <vector>

#include <cantik/train.h>

#include <cantik/error.h>

namespace cantik {
namespace {

double average(double sum, int64_t samples) { return samples == 0 ? 0 : sum / static_cast<double>(samples); }

// How many minibatches an entry of `updates` covers.
int64_t updates_every(const TrainConfig& c, const std::vector<ProgressWriterPtr>& writers, int64_t progress) {
  if (c.updates_every) return *c.updates_every;
  if (!writers.empty()) return writers[0]->training_frequency().every;
  if (progress == 0 || c.minibatch_size.steps().size() > 1) return WriteFrequency::kNever;
  double size = c.minibatch_size[0];
  return size >= 1 ? progress / static_cast<int64_t>(size) : WriteFrequency::kNever;
}

TrainingSummary train_on(std::shared_ptr<ArraySource> source, const Variable& loss, const Variable& metric,
                         const std::vector<LearnerPtr>& learners,
                         const std::vector<ProgressWriterPtr>& writers, const TrainConfig& c) {
  if (c.max_epochs && c.max_samples) throw value_error("max_epochs and max_samples are mutually exclusive.");
  // The loss says what a sample is, a sequence or a step of one: then the source's sweeps are what can be
  // counted before.
  const bool by_sweeps = source->has_sequences() && !c.epoch_size && !c.max_samples;
  int64_t epoch = c.epoch_size.value_or(source->rows());
  if (epoch <= 0) throw value_error("epoch_size must be at least 1, and is " + std::to_string(epoch));
  bool by_samples = c.max_samples.has_value();
  SessionOptions o;
  o.minibatch_size = c.minibatch_size;
  if (by_sweeps)
    source->end_after(c.max_epochs.value_or(1));
  else
    o.max_samples = c.max_samples.value_or(c.max_epochs.value_or(1) * epoch);
  if (by_sweeps && !c.progress_frequency)
    o.progress = {1, DataUnit::sweep};
  else
    o.progress = {c.progress_frequency.value_or(by_samples && !c.epoch_size ? 0 : epoch)};
  o.checkpoint = c.checkpoint;
  o.cross_validation = c.cross_validation;
  o.test = c.test;
  o.threads = c.threads;
  o.callbacks = c.callbacks;

  auto collector = std::make_shared<TrainingCollector>(
      updates_every(c, writers, o.progress.unit == DataUnit::sample ? o.progress.count : 0));
  std::vector<ProgressWriterPtr> all = writers;
  all.push_back(collector);
  auto trainer = std::make_shared<Trainer>(Function(), loss, metric, learners, all);
  TrainingSession(trainer, source, std::move(o)).train();
  if (!c.test) collector->summary.test.reset();
  return std::move(collector->summary);
}

}  // namespace

void TrainingCollector::on_write_training_update(CountRange samples, CountRange, SumRange loss,
                                                 SumRange metric) {
  const int64_t n = samples.second - samples.first;
  summary.updates.push_back(
      {average(loss.second - loss.first, n), average(metric.second - metric.first, n), n});
}

void TrainingCollector::on_write_training_summary(int64_t samples, int64_t, int64_t, double loss,
                                                  double metric, int64_t) {
  summary.epoch_summaries.push_back({average(loss, samples), average(metric, samples), samples});
}

void TrainingCollector::on_write_test_summary(int64_t samples, int64_t, int64_t, double metric, int64_t) {
  summary.test = {0, average(metric, samples), samples};
}

TrainingSummary train(const Variable& loss, const Variable& metric, const Arrays& data,
                      const std::vector<LearnerPtr>& learners, const std::vector<ProgressWriterPtr>& writers,
                      const TrainConfig& config) {
  return train_on(std::make_shared<ArraySource>(data), loss, metric, learners, writers, config);
}

TrainingSummary train(const Variable& loss, const Variable& metric, const Feeds& data,
                      const std::vector<LearnerPtr>& learners, const std::vector<ProgressWriterPtr>& writers,
                      const TrainConfig& config) {
  return train_on(std::make_shared<ArraySource>(data), loss, metric, learners, writers, config);
}

Summary test(const Variable& metric, const Arrays& data, int64_t minibatch_size,
             const std::vector<ProgressWriterPtr>& writers, int threads) {
  ArraySource source(data);
  source.end_after(1);
  return test(metric, source, minibatch_size, writers, threads);
}

Summary test(const Variable& metric, const Feeds& data, int64_t minibatch_size,
             const std::vector<ProgressWriterPtr>& writers, int threads) {
  ArraySource source(data);
  source.end_after(1);
  return test(metric, source, minibatch_size, writers, threads);
}

Summary test(const Variable& metric, FeedSource& source, int64_t minibatch_size,
             const std::vector<ProgressWriterPtr>& writers, int threads) {
  if (minibatch_size < 1)
    throw value_error("minibatch_size must be at least 1, and is " + std::to_string(minibatch_size));
  Evaluator evaluator(metric, writers);
  Summary s;
  Feeds feeds;
  bool end = false;
  while (source.next(minibatch_size, feeds, end)) {
    double part = evaluator.test_minibatch(feeds, {.threads = threads});
    s.metric += part * static_cast<double>(evaluator.previous_test_sample_count());
    s.samples += evaluator.previous_test_sample_count();
  }
  evaluator.summarize_test_progress();
  s.metric = average(s.metric, s.samples);
  return s;
}

}  // namespace cantik
