// Sources of streams in training loops.
#include <memory>
#include <optional>
#include <span>

#include <cantik/error.h>
#include <cantik/train.h>

namespace cantik {
namespace {

class StreamSource final : public FeedSource {
 public:
  StreamSource(SourcePtr source, InputStreams inputs, bool within_sweep)
      : source_(std::move(source)), inputs_(std::move(inputs)), within_sweep_(within_sweep) {
    if (!source_ || inputs_.empty())
      throw value_error("a training loop needs a source, and an input for at least one stream of the source");
  }
  std::optional<FeedMinibatch> next(int64_t samples) override {
    Minibatch m = source_->next({.samples = samples,
                                 .partitions = share().workers,
                                 .partition = share().rank,
                                 .within_sweep = within_sweep_});
    if (!m) return {};
    return FeedMinibatch{m.feeds(inputs_), m.sweep_end};
  }
  bool is_infinite() const override { return source_->is_infinite(); }
  Dictionary state() const override { return source_->state(); }
  void restore(const Dictionary& state) override { source_->restore(state); }
  void restore_from_workers(std::span<const Dictionary> states) override {
    source_->restore_from_workers(states, share().workers, share().rank);
  }

 private:
  SourcePtr source_;
  InputStreams inputs_;
  bool within_sweep_;
};

}  // namespace

std::shared_ptr<FeedSource> feed_source(SourcePtr source, InputStreams inputs, bool within_sweep) {
  return std::make_shared<StreamSource>(std::move(source), std::move(inputs), within_sweep);
}

}  // namespace cantik
