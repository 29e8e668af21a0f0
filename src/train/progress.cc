// Counting updates and telling writers when their time has come.
#include <cantik/progress.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include <cantik/error.h>

#include "base/required.h"

namespace cantik {
namespace {

void check_frequency(const WriteFrequency& f) {
  if (f.every < 0 || f.first < 0)
    throw value_error(
        "the frequency and the first updates of a progress writer must not be negative, and are " +
        std::to_string(f.every) + " and " + std::to_string(f.first));
}

template <class Window>
ProgressWindow window_of(const Window& w) {
  return {{w.written.samples, w.now.samples},
          {w.written.updates, w.now.updates},
          {w.written.loss, w.now.loss},
          {w.written.metric, w.now.metric}};
}

}  // namespace

ProgressWriter::ProgressWriter(WriteFrequency training, WriteFrequency test, WriteFrequency sync) {
  check_frequency(training), check_frequency(test), check_frequency(sync);
  training_.frequency = training;
  test_.frequency = test;
  sync_.frequency = sync;
}

bool ProgressWriter::Window::reach(int64_t samples, double loss, double metric) {
  now.samples += samples;
  now.loss = loss;
  now.metric = metric;
  ++now.updates;
  ++total;
  return frequency.due(now.updates);
}

int64_t ProgressWriter::Window::milliseconds() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin)
      .count();
}

void ProgressWriter::Window::restart() {
  now = written = {};
  begin = std::chrono::steady_clock::now();
}

void ProgressWriter::update_training(int64_t n, double loss, std::optional<double> metric) {
  if (metric) *metric += training_.now.metric;
  update_training_to(n, training_.now.loss + loss, metric);
}

void ProgressWriter::update_test(int64_t n, double metric) { update_test_to(n, test_.now.metric + metric); }

void ProgressWriter::update_training_to(int64_t n, double loss, std::optional<double> metric) {
  has_metric_ = metric.has_value();
  if (std::isnan(loss) && !told_of_nan_) {
    told_of_nan_ = true;
    on_nan_loss(training_.now.updates + 1);
  }
  if (training_.reach(n, loss, metric.value_or(0))) {
    on_write_training_update(window_of(training_));
    training_.written = training_.now;
  }
  on_training_update_end();
}

void ProgressWriter::update_test_to(int64_t n, double metric) {
  if (!test_.reach(n, 0, metric)) return;
  on_write_test_update(window_of(test_));
  test_.written = test_.now;
}

void ProgressWriter::update_distributed_sync(int64_t n, double metric) {
  if (!sync_.reach(n, 0, sync_.now.metric + metric)) return;
  on_write_distributed_sync_update(window_of(sync_));
  sync_.written = sync_.now;
}

void ProgressWriter::write_training_summary() {
  write_training_summary_of(training_.now.loss, training_.now.metric);
}
void ProgressWriter::write_test_summary() { write_test_summary_of(test_.now.metric); }

void ProgressWriter::write_training_summary_of(double loss, double metric) {
  ++training_.summaries;
  on_write_training_summary({training_.now.samples, training_.now.updates, training_.summaries, loss, metric,
                             training_.milliseconds()});
  training_.restart();
}

void ProgressWriter::write_test_summary_of(double metric) {
  ++test_.summaries;
  on_write_test_summary(
      {test_.now.samples, test_.now.updates, test_.summaries, 0, metric, test_.milliseconds()});
  test_.restart();
}

void ProgressWriter::on_write_training_update(const ProgressWindow&) {}
void ProgressWriter::on_write_test_update(const ProgressWindow&) {}
void ProgressWriter::on_write_distributed_sync_update(const ProgressWindow&) {}
void ProgressWriter::on_write_training_summary(const ProgressSummary&) {}
void ProgressWriter::on_write_test_summary(const ProgressSummary&) {}

TrainingSummaryProgressCallback::TrainingSummaryProgressCallback(int64_t epoch_size, Callback callback)
    : ProgressWriter({epoch_size}),
      callback_(callable(std::move(callback), "what a TrainingSummaryProgressCallback calls")) {}

void TrainingSummaryProgressCallback::on_write_training_summary(const ProgressSummary& s) {
  callback_(s.summaries - 1, s.loss, s.metric, s.samples);
}

}  // namespace cantik
