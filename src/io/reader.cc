#include "io/reader.h"

#include <memory>

namespace cantik {

// Chunks of data without an index stay no longer than their window: the program may bring others in the next
// sweep.
Reader::Reader(DeserializerPtr data, const SourceOptions& options)
    : data_(std::move(data)),
      cache_(*data_, data_->index() ? options.cache_bytes : 0),
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
  if (at_.stretch && at_.stretch->position(at_.place) >= timeline_->limit()) return true;
  return !settle() || at_.stretch->position(at_.place) >= timeline_->limit();
}

const Reader::Next& Reader::peek() {
  settle();
  const Stretch& s = *at_.stretch;
  next_ = {s.info(at_.place), s.is_share(at_.place, share_), s.ends_sweep(at_.place)};
  return next_;
}

ChunkPtr Reader::chunk_of(const SequenceInfo& info) {
  return cache_.get(info.chunk,
                    [&](int64_t chunk) { return at_.stretch && at_.stretch->keeps(chunk, at_.place); });
}

}  // namespace cantik
