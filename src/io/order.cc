// The order of the file.
#include "io/order.h"

#include <algorithm>

namespace cantik {
namespace {

class FileOrder final : public Order {
 public:
  explicit FileOrder(const Deserializer& data) : index_(*data.index()) {}
  int64_t places() const override { return static_cast<int64_t>(index_.size()); }
  int64_t samples() const override { return index_.samples_before(index_.size()); }
  size_t sequence_at(int64_t place) override { return static_cast<size_t>(place); }
  int64_t start(int64_t place) override {
    const auto at = static_cast<size_t>(place);
    if (at == last_ + 1)
      start_ += index_.samples(last_);
    else if (at != last_)
      start_ = index_.samples_before(at);
    last_ = at;
    return start_;
  }
  int64_t place_of(int64_t sample) override { return static_cast<int64_t>(index_.count_up_to(sample)); }
  bool keeps(int64_t chunk, int64_t place) override {
    return index_.chunk_of(static_cast<size_t>(std::min(place, places() - 1))) == chunk;
  }
  int64_t rank(int64_t chunk) const override { return chunk; }
  bool is_random() const override { return false; }

 private:
  const SequenceIndex& index_;
  size_t last_ = 0;  // the place that was asked for last
  int64_t start_ = 0;
};

}  // namespace

std::shared_ptr<Order> order_of_file(const Deserializer& data) { return std::make_shared<FileOrder>(data); }

}  // namespace cantik
