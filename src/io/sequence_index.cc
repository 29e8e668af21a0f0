#include <cantik/sequence_index.h>

#include <algorithm>
#include <limits>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

constexpr size_t kMostSequences = std::numeric_limits<int32_t>::max();
constexpr int64_t kMostSamples = std::numeric_limits<uint32_t>::max();

}  // namespace

void SequenceIndex::push_back(const SequenceInfo& s) {
  const int32_t last = static_cast<int32_t>(firsts_.size()) - 1;
  const int64_t in_chunk = last >= 0 && s.chunk == last ? static_cast<int64_t>(size_ - firsts_.back()) : 0;
  if (s.chunk < std::max(last, 0) || s.in_chunk != in_chunk || s.samples < 1 || s.samples > kMostSamples)
    throw value_error(cat("entry ", size_, " of an index is number ", s.in_chunk, " of chunk ", s.chunk,
                          " and has ", s.samples, " samples"))
        .remedy(
            "list the sequences chunk after chunk, each numbered from 0 in its chunk, with 1 to 2^32 - 1 "
            "samples");
  if (size_ == kMostSequences)
    throw value_error(cat("an index has at most ", kMostSequences, " sequences"))
        .remedy("read the data in several parts");
  firsts_.resize(static_cast<size_t>(s.chunk) + 1, static_cast<uint32_t>(size_));
  if (size_ == 0) first_key_ = s.key;
  const bool is_long = !samples_.empty() || s.samples != 1, is_named = !keys_.empty() || s.key != key(size_);
  if (is_long && samples_.empty()) {
    samples_.reserve(std::max(expected_, size_ + 1));
    samples_.assign(size_, 1);
  }
  if (is_named && keys_.empty()) {
    keys_.reserve(std::max(expected_, size_ + 1));
    for (size_t i = 0; i < size_; ++i) keys_.push_back(first_key_ + i);
  }
  if (is_long) samples_.push_back(static_cast<uint32_t>(s.samples));
  if (is_named) keys_.push_back(s.key);
  ++size_;
}

void SequenceIndex::shrink_to_fit() {
  firsts_.shrink_to_fit();
  samples_.shrink_to_fit();
  keys_.shrink_to_fit();
}

int32_t SequenceIndex::chunk_of(size_t i) const {
  // of chunks without sequences, which begin where the next one does, the last
  return static_cast<int32_t>(std::upper_bound(firsts_.begin(), firsts_.end(), i) - firsts_.begin()) - 1;
}

size_t SequenceIndex::bytes() const {
  return (firsts_.capacity() + samples_.capacity()) * sizeof(uint32_t) + keys_.capacity() * sizeof(uint64_t);
}

}  // namespace cantik
