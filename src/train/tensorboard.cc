// Progress for TensorBoard, under CNTK's tags.
#include <cantik/tensorboard.h>

#include <string>

#include "train/calls.h"

namespace cantik {
namespace {

double mean(double sum, int64_t count) { return count == 0 ? 0 : sum / static_cast<double>(count); }

// Of the points, once all options have been checked.
WriteFrequency frequency_of(const TensorBoardOptions& o) {
  check_options(o);
  return {o.frequency.value_or(WriteFrequency::kNever)};
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

void describe_tensorboard(CallDefinitions& calls) {
  using O = TensorBoardOptions;
  calls.add("TensorBoardProgressWriter", "logging", "class")
      .is("TensorBoardWriter")
      .doc(
          "`tensorboard --logdir FOLDER` shows it while it goes on. More is written by write_value, "
          "write_image, write_histogram and write_text.")
      .body("_cantik.TensorBoardWriter")
      .option<O>("TensorBoardOptions", "freq")
      .given("log_dir", "PathLike", "'.'", "the folder; it is made where it is missing")
      .option<O>("TensorBoardOptions", "rank")
      .option<O>("TensorBoardOptions", "model", {"Function | None", "None"})
      .example(
          "import tempfile\n"
          "z = C.layers.Dense(2)(C.input_variable(3))\n"
          "writer = C.logging.TensorBoardProgressWriter(freq=10, log_dir=tempfile.mkdtemp(), model=z)\n"
          "writer.write_value('validation/error', 0.25, step=1)\n"
          "writer.close()");
}

}  // namespace cantik
