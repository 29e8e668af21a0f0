// The index of data whose sequences are rows of a table: one sample each, the number of the row as key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <cantik/deserializer.h>

namespace cantik {

// counts: rows of each chunk.
inline std::vector<SequenceInfo> index_of_rows(const std::vector<int64_t>& counts) {
  int64_t all = 0;
  for (const int64_t n : counts) all += n;
  std::vector<SequenceInfo> index;
  index.reserve(static_cast<size_t>(all));
  for (size_t c = 0; c < counts.size(); ++c)
    for (int32_t i = 0; i < counts[c]; ++i) index.push_back({index.size(), 1, static_cast<int32_t>(c), i});
  return index;
}

}  // namespace cantik
