#include <cantik/sequence_index.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

constexpr size_t kMostSequences = std::numeric_limits<int32_t>::max();
constexpr int64_t kMostSamples = std::numeric_limits<uint32_t>::max();

}  // namespace

void SequenceIndex::push_back(const SequenceInfo& s) {
  const int32_t last = static_cast<int32_t>(firsts_.size()) - 1;
  const int64_t in_chunk = last >= 0 && s.chunk == last ? static_cast<int64_t>(size() - firsts_.back()) : 0;
  if (s.chunk < std::max(last, 0) || s.in_chunk != in_chunk || s.samples < 1 || s.samples > kMostSamples)
    throw value_error(cat("entry ", size(), " of an index is number ", s.in_chunk, " of chunk ", s.chunk,
                          " and has ", s.samples, " samples"))
        .remedy(
            "list the sequences chunk after chunk, each numbered from 0 in its chunk, with 1 to 2^32 - 1 "
            "samples");
  if (size() == kMostSequences)
    throw value_error(cat("an index has at most ", kMostSequences, " sequences"))
        .remedy("read the data in several parts");
  firsts_.resize(static_cast<size_t>(s.chunk) + 1, static_cast<uint32_t>(size()));
  keys_.push_back(static_cast<int64_t>(s.key - size()));
  samples_.push_back(s.samples);
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

size_t SequenceIndex::count_up_to(int64_t samples) const {
  size_t first = 0, last = size();
  while (first < last) {
    const size_t middle = first + (last - first) / 2;
    if (samples_before(middle) < samples)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

size_t SequenceIndex::bytes() const {
  return firsts_.capacity() * sizeof(uint32_t) + samples_.bytes() + keys_.bytes();
}

bool SequenceIndex::assign(Parts p) {
  *this = {};
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
  const bool fits = p.samples.size == p.keys.size && p.samples.size <= kMostSequences && !p.firsts.empty() &&
                    p.firsts.front() == 0 && p.firsts.back() < p.samples.size &&
                    std::ranges::is_sorted(p.firsts) &&
                    samples_.assign(std::move(p.samples), 1, kMostSamples) &&
                    keys_.assign(std::move(p.keys), kLeast, kMost);
  if (fits)
    firsts_ = std::move(p.firsts);
  else
    *this = {};
  return fits;
}

}  // namespace cantik
