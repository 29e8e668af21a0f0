#include "io/chunk_cache.h"

#include <algorithm>

namespace cantik {

ChunkPtr ChunkCache::find(int64_t number) {
  const auto found = entries_.find(number);
  if (found == entries_.end()) return nullptr;
  found->second.used = ++clock_;
  return found->second.chunk;
}

const ChunkPtr& ChunkCache::get(int64_t number, const std::function<bool(int64_t)>& keeps) {
  if (find(number)) return entries_[number].chunk;
  return put(number, loader_ ? loader_->load(number) : load_chunk(data_, number), keeps);
}

const ChunkPtr& ChunkCache::put(int64_t number, ChunkPtr chunk, const std::function<bool(int64_t)>& keeps) {
  const size_t bytes = bytes_of(*chunk);
  if (Entry& old = entries_[number]; old.chunk) held_ -= old.bytes;
  entries_[number] = {std::move(chunk), bytes, ++clock_};
  held_ += bytes;
  // A source goes through data chunk after chunk: a part of them that is kept is forgotten before it comes
  // again.
  const double all =
      static_cast<double>(held_) / static_cast<double>(entries_.size()) * static_cast<double>(data_.chunks());
  const size_t limit = loader_ && all > static_cast<double>(limit_) ? 0 : limit_;
  while (held_ > limit) {
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it)
      if (it->first != number && !keeps(it->first) &&
          (oldest == entries_.end() || it->second.used < oldest->second.used))
        oldest = it;
    if (oldest == entries_.end()) break;
    held_ -= oldest->second.bytes;
    entries_.erase(oldest);
  }
  return entries_[number].chunk;
}

void ChunkCache::begin_sweep(int64_t sweep) {
  if (sweep == sweep_) return;
  sweep_ = sweep;
  if (data_.changes()) clear();
  if (loader_)
    loader_->begin_sweep(sweep);
  else
    data_.begin_sweep(sweep);
}

void ChunkCache::clear() {
  entries_.clear();
  held_ = 0;
}

}  // namespace cantik
