#include "io/reader.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <unordered_map>

#include "base/thread_pool.h"

namespace cantik {

// Chunks that change stay no longer than their window.
Reader::Reader(DeserializerPtr data, const SourceOptions& options)
    : data_(std::move(data)),
      cache_(*data_, data_->changes() ? 0 : options.cache_bytes),
      timeline_(data_->index() ? sweeps_of(*data_, options) : windows_of(*data_, cache_, options)),
      is_infinite_(!options.max_sweeps && !options.max_samples) {}

void Reader::set_share(const Share& share) {
  share_ = share;
  timeline_->set_share(share, at_);
}

// To the next place that has a sequence. False where there is none: the data have ended, or a whole sweep
// passes without one.
bool Reader::settle() {
  if (!at_.stretch) at_ = timeline_->begin();
  if (at_.stretch && at_.place < at_.stretch->places()) return true;
  Timeline::Place p = at_;
  while (p.stretch && p.place == p.stretch->places()) {
    p = {timeline_->next(*p.stretch), 0};
    if (p.stretch && p.stretch->sweep() > sweep() + 1) return false;
  }
  if (!p.stretch) return false;
  at_ = std::move(p);
  return true;
}

bool Reader::at_end() {
  const auto is_behind = [&] { return at_.stretch->position(at_.place) >= timeline_->limit(); };
  return (at_.stretch && is_behind()) || !settle() || is_behind();
}

const Reader::Next& Reader::peek() {
  settle();
  const Stretch& s = *at_.stretch;
  next_.info = s.info(at_.place);
  next_.is_share = share_.partitions == 1 || s.is_share(at_.place, share_);
  next_.sweep_end = s.ends_sweep(at_.place);
  return next_;
}

std::vector<ChunkPtr> Reader::chunks_of(std::span<const SequenceInfo> infos, int64_t sweep) {
  cache_.begin_sweep(sweep);
  std::unordered_map<int32_t, ChunkPtr> chunks;  // of the sequences, by number
  std::vector<int32_t> missing;
  for (const SequenceInfo& s : infos)
    if (const auto [chunk, is_new] = chunks.try_emplace(s.chunk); is_new) {
      chunk->second = cache_.find(s.chunk);
      if (!chunk->second) missing.push_back(s.chunk);
    }
  std::vector<ChunkPtr> read(missing.size());
  Team team(static_cast<int>(std::min<size_t>(missing.size(), static_cast<size_t>(thread_limit()))));
  std::atomic<size_t> next{0};
  team.run([&](int) {
    for (size_t k; !team.failed() && (k = next++) < missing.size();) read[k] = load_chunk(*data_, missing[k]);
  });
  for (size_t k = 0; k < missing.size(); ++k) {
    chunks[missing[k]] = read[k];
    // The only sequence of a chunk that changes does not come again.
    if (data_->changes() && sequences_of(*read[k]) == 1) continue;
    cache_.put(missing[k], read[k], [&](int64_t chunk) { return at_.stretch->keeps(chunk, at_.place); });
  }
  std::vector<ChunkPtr> all;
  for (const SequenceInfo& s : infos) all.push_back(chunks[s.chunk]);
  return all;
}

ChunkPtr Reader::chunk_of(const SequenceInfo& info) {
  cache_.begin_sweep(sweep());
  return cache_.get(info.chunk,
                    [&](int64_t chunk) { return at_.stretch && at_.stretch->keeps(chunk, at_.place); });
}

}  // namespace cantik
