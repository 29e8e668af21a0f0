// Progress for TensorBoard, under CNTK's tags.
#include <cantik/tensorboard.h>

#include <string>

#include <cantik/error.h>

namespace cantik {
namespace {

double mean(double sum, int64_t count) { return count == 0 ? 0 : sum / static_cast<double>(count); }

WriteFrequency frequency_of(const TensorBoardOptions& o) {
  if (!o.frequency) return {};
  if (*o.frequency < 0)
    throw value_error("a frequency of writing for TensorBoard is " + std::to_string(*o.frequency))
        .remedy("give how many minibatches lie between two points");
  return {*o.frequency};
}

}  // namespace

TensorBoardWriter::TensorBoardWriter(const std::string& folder, const TensorBoardOptions& options)
    : ProgressWriter(frequency_of(options)) {
  if (options.rank.value_or(0) != 0) return;
  file_.emplace(folder);
  if (options.model) file_->graph(options.model);
}

void TensorBoardWriter::write(const std::string& key, double value) {
  if (file_) file_->scalar(key, value, total_training_updates());
}

void TensorBoardWriter::on_write_training_update(const ProgressWindow& w) {
  if (!file_) return;
  const int64_t count = w.samples.second - w.samples.first, step = total_training_updates();
  file_->scalar("minibatch/avg_loss", mean(w.loss.second - w.loss.first, count), step);
  if (has_metric())
    file_->scalar("minibatch/avg_metric", mean(w.metric.second - w.metric.first, count), step);
}

void TensorBoardWriter::on_write_training_summary(const ProgressSummary& s) {
  if (!file_) return;
  file_->scalar("summary/avg_loss", mean(s.loss, s.samples), s.summaries);
  if (has_metric()) file_->scalar("summary/avg_metric", mean(s.metric, s.samples), s.summaries);
}

void TensorBoardWriter::on_write_test_summary(const ProgressSummary& s) {
  if (file_) file_->scalar("minibatch/test_avg_metric", mean(s.metric, s.samples), total_training_updates());
}

}  // namespace cantik
