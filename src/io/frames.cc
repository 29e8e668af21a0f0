// Frame mode of speech: every frame is a sequence of its own. Frames of a chunk change places like any
// sequences.
#include <memory>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "io/deserializer.h"

namespace cantik {
namespace {

class Frames final : public Deserializer {
 public:
  explicit Frames(DeserializerPtr data) : data_(indexed(std::move(data))) {
    int32_t chunk = -1, in_chunk = 0;
    for (const SequenceInfo& s : *data_->index()) {
      if (s.chunk != chunk) in_chunk = 0;
      chunk = s.chunk;
      may_end(s.samples);
      if (s.samples > INT32_MAX - in_chunk)
        throw runtime_error(
            cat("chunk ", chunk, " of ", data_->name(), " has more frames than can be counted"));
      for (int64_t t = 0; t < s.samples; ++t) index_.push_back({s.key, 1, chunk, in_chunk++});
    }
  }

  const std::vector<Stream>& streams() const override { return data_->streams(); }
  int64_t chunks() const override { return data_->chunks(); }
  const SequenceIndex* index() const override { return &index_; }
  void begin_sweep(int64_t sweep) override { data_->begin_sweep(sweep); }
  bool changes() const override { return data_->changes(); }
  bool is_concurrent() const override { return data_->is_concurrent(); }
  bool may_read_ahead() const override { return data_->may_read_ahead(); }
  bool may_be_left() const override { return data_->may_be_left(); }
  bool may_leave_out() const override { return data_->may_leave_out(); }
  std::string name() const override { return data_->name(); }
  std::vector<std::string> take_warnings() override { return data_->take_warnings(); }

  Chunk load(int64_t number) override {
    Chunk chunk = data_->load(number);
    for (size_t s = 1; s < chunk.size(); ++s)
      for (int64_t i = 0; chunk[s].layout != chunk[0].layout && i < sequences_of(chunk); ++i)
        if (steps_of(chunk[s], i) != steps_of(chunk[0], i)) refuse(chunk, s, i);
    const auto frames = Layout::batch(chunk[0].layout->rows());
    for (Value& v : chunk) v.layout = frames;
    return chunk;
  }

 private:
  [[noreturn]] void refuse(const Chunk& chunk, size_t s, int64_t i) const {
    throw runtime_error("in frame mode the streams of a sequence have as many frames")
        .line("file", data_->name())
        .line("stream", cat(streams()[0].name, " has ", steps_of(chunk[0], i), " frames, ", streams()[s].name,
                            " has ", steps_of(chunk[s], i), ", in sequence ", i, " of a chunk"))
        .remedy("read whole sequences, without frame mode");
  }

  DeserializerPtr data_;
  SequenceIndex index_;
};

}  // namespace

DeserializerPtr frames_of(DeserializerPtr data) { return std::make_shared<Frames>(std::move(data)); }

}  // namespace cantik
