// An index for data that have none: they are read through once, and their sequences have the keys 0, 1, ...
#include <memory>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "io/deserializer.h"

namespace cantik {
namespace {

class Indexed final : public Deserializer {
 public:
  explicit Indexed(DeserializerPtr data) : data_(std::move(data)) {
    const int64_t counted = counted_stream(data_->streams());
    data_->begin_sweep(0);
    for (int64_t c = 0; c < data_->chunks(); ++c) {
      may_end_now();
      ChunkPtr chunk = load_chunk(*data_, c);
      for (int64_t i = 0; i < sequences_of(*chunk); ++i)
        index_.push_back({index_.size(), samples_of(*chunk, i, counted), static_cast<int32_t>(c),
                          static_cast<int32_t>(i)});
    }
  }
  const std::vector<Stream>& streams() const override { return data_->streams(); }
  int64_t chunks() const override { return data_->chunks(); }
  Chunk load(int64_t chunk) override { return data_->load(chunk); }
  const SequenceIndex* index() const override { return &index_; }
  void begin_sweep(int64_t sweep) override { data_->begin_sweep(sweep); }
  bool changes() const override { return data_->changes(); }
  bool has_frames() const override { return data_->has_frames(); }
  bool is_concurrent() const override { return data_->is_concurrent(); }
  bool may_read_ahead() const override { return data_->may_read_ahead(); }
  bool may_be_left() const override { return data_->may_be_left(); }
  bool may_leave_out() const override { return data_->may_leave_out(); }
  std::string name() const override { return data_->name(); }
  std::vector<std::string> take_warnings() override { return data_->take_warnings(); }

 private:
  DeserializerPtr data_;
  SequenceIndex index_;
};

}  // namespace

DeserializerPtr indexed(DeserializerPtr data) {
  return data->index() ? data : std::make_shared<Indexed>(std::move(data));
}

}  // namespace cantik
