#include "io/reader.h"

#include <algorithm>
#include <memory>

namespace cantik {

Reader::Reader(DeserializerPtr data, const SourceOptions& options)
    : data_(std::move(data)), options_(options), cache_(*data_, options.cache_bytes) {
  for (const SequenceInfo& s : data_->sequences()) sweep_samples_ += s.samples;
  if (options.max_samples) limit_ = *options.max_samples;
  if (options.max_sweeps)
    limit_ = *options.max_sweeps > MinibatchRequest::kUnlimited / sweep_samples_
                 ? MinibatchRequest::kUnlimited
                 : *options.max_sweeps * sweep_samples_;
  enter(0);
}

void Reader::enter(int64_t sweep) {
  if (options_.randomize && sweep != sweep_)
    order_ = std::make_shared<Order>(random_order(*data_, options_.seed + static_cast<uint64_t>(sweep),
                                                  options_.window_chunks, options_.window_samples));
  else if (!order_)
    order_ = std::make_shared<Order>(order_of_file(*data_));
  sweep_ = sweep;
  sweep_start_ = sweep * sweep_samples_;
  place_ = run_ = 0;
}

bool Reader::at_end() { return position() >= limit_; }

const Reader::Next& Reader::peek() {
  if (place_ == order_->places()) enter(sweep_ + 1);
  next_.info = &data_->sequences()[static_cast<size_t>(order_->sequence[static_cast<size_t>(place_)])];
  next_.sweep_end = place_ + 1 == order_->places();
  return next_;
}

bool Reader::is_share(const Next& next, int64_t partitions, int64_t partition) const {
  return (options_.randomize ? order_->rank[static_cast<size_t>(next.info->chunk)]
                             : sweep_ * order_->places() + place_) %
             partitions ==
         partition;
}

ChunkPtr Reader::chunk_of(const SequenceInfo& info) {
  while (run_ + 1 < static_cast<int64_t>(order_->window.size()) &&
         order_->run[static_cast<size_t>(run_) + 1] <= place_)
    ++run_;
  auto window = order_->window[static_cast<size_t>(run_)];
  return cache_.get(info.chunk, [&](int64_t chunk) {
    int32_t rank = order_->rank[static_cast<size_t>(chunk)];
    return rank >= window.first && rank < window.second;
  });
}

void Reader::seek(int64_t position) {
  enter(position / sweep_samples_);
  const auto& start = order_->start;
  place_ = std::lower_bound(start.begin(), start.end() - 1, position % sweep_samples_) - start.begin();
}

}  // namespace cantik
