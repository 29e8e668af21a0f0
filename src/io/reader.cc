#include "io/reader.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

namespace cantik {
namespace {

constexpr int64_t kMostLooked = 4096;  // sequences, for those whose chunks are read ahead

}  // namespace

// Chunks that change, or of which there is one sweep, stay no longer than their window.
Reader::Reader(DeserializerPtr data, const SourceOptions& options)
    : data_(std::move(data)),
      loader_(data_, options.multithreaded && data_->index()),
      cache_(*data_, data_->changes() || options.max_sweeps == 1 ? 0 : options.cache_bytes, &loader_),
      timeline_(data_->index() ? sweeps_of(*data_, options) : windows_of(*data_, cache_, options)),
      is_infinite_(!options.max_sweeps && !options.max_samples) {}

void Reader::set_share(const Share& share) {
  if (share == share_) return;
  share_ = share;
  timeline_->set_share(share, at_);
  forget();
}

void Reader::go_back(const Timeline::Place& place) {
  at_ = place;
  forget();
}

void Reader::forget() {
  seen_ = {};
  loader_.forget();
}

void Reader::rewind_sweep() {
  if (settle()) at_.place = 0;
}

// What follows a stretch is made once, though it is looked at ahead.
StretchPtr Reader::after(const StretchPtr& stretch) {
  if (last_ != stretch) {
    next_of_ = timeline_->next(*stretch);
    last_ = stretch;
  }
  return next_of_;
}

// To the next place that has a sequence. False where there is none: the data have ended, or a whole sweep
// passes without one.
bool Reader::settle() {
  if (!at_.stretch) at_ = timeline_->begin();
  if (at_.stretch && at_.place < at_.stretch->places()) return true;
  Timeline::Place p = at_;
  while (p.stretch && p.place == p.stretch->places()) {
    p = {after(p.stretch), 0};
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
  next_.is_share = s.is_share(at_.place, share_);
  next_.sweep_end = s.ends_sweep(at_.place);
  return next_;
}

// Chunks that change belong to their sweep, others may be read in the one before.
void Reader::read_ahead() {
  if (!loader_.reads_ahead() || !at_.stretch) return;
  const size_t under_way = loader_.expected();
  if (under_way >= depth_) return;
  const bool is_behind = !seen_.stretch || seen_.stretch->sweep() < at_.stretch->sweep() ||
                         (seen_.stretch == at_.stretch && seen_.place < at_.place);
  if (is_behind) seen_ = at_;
  std::vector<int64_t> expected;
  for (int64_t looked = 0; under_way + expected.size() < depth_ && looked < kMostLooked; ++looked) {
    if (seen_.stretch->position(seen_.place) >= timeline_->limit()) break;
    if (seen_.place == seen_.stretch->places()) {
      if (data_->changes() || seen_.stretch != at_.stretch) break;
      seen_ = {after(seen_.stretch), 0};
      if (!seen_.stretch) break;
      continue;
    }
    const int64_t chunk = seen_.stretch->info(seen_.place).chunk;
    if (seen_.stretch->is_share(seen_.place, share_) && !cache_.has(chunk) && !loader_.is_expected(chunk) &&
        std::ranges::find(expected, chunk) == expected.end())
      expected.push_back(chunk);
    ++seen_.place;
  }
  loader_.expect(expected);
}

std::vector<ChunkPtr> Reader::chunks_of(std::span<const SequenceInfo> infos, int64_t sweep) {
  cache_.begin_sweep(sweep);
  std::unordered_map<int64_t, ChunkPtr> chunks;  // of the sequences, by number
  std::vector<int64_t> missing;
  for (const SequenceInfo& s : infos)
    if (const auto [chunk, is_new] = chunks.try_emplace(s.chunk); is_new) {
      chunk->second = cache_.find(s.chunk);
      if (!chunk->second) missing.push_back(s.chunk);
    }
  const std::vector<ChunkPtr> read = loader_.load_all(missing);
  // Chunks of one sequence are needed as many at a time, others one after another.
  const bool single = std::ranges::all_of(read, [](const ChunkPtr& c) { return sequences_of(*c) == 1; });
  depth_ = single ? std::max<size_t>(missing.size(), 1) : 1;
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
