// Files for TensorBoard: numbers, pictures, distributions, texts and the graph, as they come.
//
//   EventFile events("runs/1");
//   events.graph(z);
//   events.scalar("validation/error", 0.02, step);
//   TensorBoardOptions options{.frequency = 50, .model = z};
//   auto writer = std::make_shared<TensorBoardWriter>("runs/1", options);
//   Trainer trainer(z, loss, metric, {learner}, {writer});  // tensorboard --logdir runs
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/progress.h>
#include <cantik/tensor.h>

namespace cantik {

// A file of events, which grows. What is written reaches the disk within a second of the next event, and at
// the end; a reader may look at it meanwhile. A disk that is full is a RuntimeError. For one thread at a
// time.
class CANTIK_API EventFile {
 public:
  // A new file in the folder, which is made where it is missing.
  explicit EventFile(const std::string& folder);
  ~EventFile();
  EventFile(const EventFile&) = delete;

  // A number at a step: a point of the curve with this tag. Tags with a / are shown in groups.
  void scalar(std::string_view tag, double value, int64_t step);
  // Pictures with the tags tag/image/0, ...: [n, channels, height, width] or [channels, height, width] with
  // 1, 3 or 4 channels, blue first, numbers from 0 to 255 (others are cut off).
  void image(std::string_view tag, const Tensor& pixels, int64_t step);
  // The distribution of a tensor's numbers.
  void histogram(std::string_view tag, const Tensor& values, int64_t step);
  // A text, in Markdown.
  void text(std::string_view tag, std::string_view text, int64_t step);
  // The operators of a network, blocks as groups of them.
  void graph(const Function& model);

  // Brings onto the disk what has been written.
  void flush();
  // The same, and ends the file. Writing behind that is a RuntimeError.
  void close();
  bool is_closed() const;  // by close()
  // Where it is.
  const std::string& path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Options of TensorBoardWriter.
struct TensorBoardOptions {
  // a point after every so many minibatches; none: after summaries only; 0: after 1, 3, 7, 15, ...
  // minibatches
  std::optional<int64_t> frequency = {};
  std::optional<int64_t> rank = {};  // of a worker: only the first one, 0, writes
  Function model = {};               // whose graph is shown, if there is one

  // The options by name.
  static constexpr auto fields() {
    using O = TensorBoardOptions;
    return list(option("freq", &O::frequency).at_least(0), option("rank", &O::rank).at_least(0),
                option("model", &O::model));
  }
};

// Writes a training's progress for TensorBoard, under CNTK's tags: minibatch/avg_loss and
// minibatch/avg_metric by minibatches, summary/avg_loss and summary/avg_metric by summaries,
// minibatch/test_avg_metric after tests, and rates that change.
class CANTIK_API TensorBoardWriter : public ProgressWriter {
 public:
  // A writer into a new file in the folder.
  explicit TensorBoardWriter(const std::string& folder, const TensorBoardOptions& options = {});

  // The file, for more than progress; null in workers that do not write.
  EventFile* file() { return file_ ? &*file_ : nullptr; }
  void write(const std::string& key, double value) override;
  void on_write_training_update(const ProgressWindow& window) override;
  void on_write_training_summary(const ProgressSummary& summary) override;
  void on_write_test_summary(const ProgressSummary& summary) override;

 private:
  std::optional<EventFile> file_;
};

}  // namespace cantik
