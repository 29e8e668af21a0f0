// ChunkCache: the chunks that have been read, as many as memory is given for.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>

#include "io/chunk_loader.h"

namespace cantik {

class ChunkCache {
 public:
  // `loader`, if there is one, reads the chunks.
  // With a loader the chunks are those of a source, otherwise of a part of joined data, in any order.
  ChunkCache(Deserializer& data, int64_t bytes, ChunkLoader* loader = nullptr)
      : data_(data), loader_(loader), limit_(static_cast<size_t>(std::max<int64_t>(bytes, 0))) {}

  // What is read from now on belongs to the sweep. Chunks that change are forgotten then.
  void begin_sweep(int64_t sweep);
  // Reads it, if need be; others leave for it, the longest unused first, but none of those that `keeps`
  // names.
  const ChunkPtr& get(int64_t number, const std::function<bool(int64_t)>& keeps);
  // One that is there, or null; and one that has been read elsewhere.
  ChunkPtr find(int64_t number);
  bool has(int64_t number) const { return entries_.contains(number); }
  const ChunkPtr& put(int64_t number, ChunkPtr chunk, const std::function<bool(int64_t)>& keeps);

 private:
  void clear();
  struct Entry {
    ChunkPtr chunk;
    size_t bytes = 0;
    uint64_t used = 0;
  };
  Deserializer& data_;
  ChunkLoader* loader_;
  size_t limit_, held_ = 0;
  uint64_t clock_ = 0;
  int64_t sweep_ = -1;
  std::unordered_map<int64_t, Entry> entries_;
};

}  // namespace cantik
