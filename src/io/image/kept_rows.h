// KeptRows: rows of a picture that have been scaled across, as long as results need them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/image/taps.h"

namespace cantik {

// Each row is scaled once, in all of its channels. A row of a result is made of `count` that follow one
// another.
template <class Sum>
class KeptRows {
 public:
  KeptRows(int count, int64_t channels, int64_t room)
      : count_(count),
        channels_(channels),
        room_(room),
        memory_(static_cast<size_t>(count * channels * room)) {
    has_.fill(-1);
  }
  // [channels, room]: what make(row, to) makes of a row of the picture.
  template <class Make>
  const Sum* at(int64_t row, const Make& make) {
    const int64_t slot = row % count_;
    Sum* to = memory_.data() + slot * channels_ * room_;
    if (has_[slot] != row) make(row, to);
    has_[slot] = row;
    return to;
  }

 private:
  int64_t count_, channels_, room_;
  std::vector<Sum> memory_;
  std::array<int64_t, kMostTaps> has_;
};

}  // namespace cantik
