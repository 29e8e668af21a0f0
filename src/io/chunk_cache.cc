#include "io/chunk_cache.h"

#include <algorithm>

namespace cantik {

const ChunkPtr& ChunkCache::get(int64_t number, const std::function<bool(int64_t)>& keeps) {
  Entry& e = entries_[number];
  e.used = ++clock_;
  if (e.chunk) return e.chunk;
  try {
    e.chunk = load_chunk(data_, number);
  } catch (...) {
    entries_.erase(number);
    throw;
  }
  held_ += e.bytes = bytes_of(*e.chunk);
  while (held_ > limit_) {
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

void ChunkCache::clear() {
  entries_.clear();
  held_ = 0;
}

}  // namespace cantik
