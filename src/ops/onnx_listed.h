// A bound on what the reading of a node writes down number by number: sizes in a file are only claims.
#pragma once

#include <cstdint>
#include <vector>

#include <cantik/op.h>

namespace cantik {

constexpr int64_t kMostListed = int64_t{1} << 24;

// How many numbers a list of these sizes has. Refuses sizes that are not known, and lists that are too long.
inline int64_t listed(const std::vector<int64_t>& sizes) {
  int64_t count = 1;
  for (int64_t s : sizes) {
    if (s < 0) OnnxNode::refuse("it lists numbers of which only a run knows how many there are");
    if (s && count > kMostListed / s) OnnxNode::refuse("it lists far too many numbers");
    count *= s;
  }
  return count;
}

}  // namespace cantik
