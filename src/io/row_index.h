// The index of data whose sequences are rows of a table: one sample each, the number of the row as key.
#pragma once

#include <cstdint>
#include <vector>

#include <cantik/deserializer.h>

namespace cantik {

// counts: rows of each chunk.
inline SequenceIndex index_of_rows(const std::vector<int64_t>& counts) {
  SequenceIndex index;
  for (size_t c = 0; c < counts.size(); ++c)
    for (int32_t i = 0; i < counts[c]; ++i) index.push_back({index.size(), 1, static_cast<int32_t>(c), i});
  return index;
}

}  // namespace cantik
