// Taps: the pixels along one axis that each pixel of a scaled picture is made of, with their weights.
#pragma once

#include <cstdint>
#include <vector>

#include <cantik/image.h>

namespace cantik {

inline constexpr int kOne = 2048;  // the weight 1, where weights are whole
inline constexpr int kMostTaps = 8;

struct Taps {
  int count;
  std::vector<int32_t> from;  // [size, count]
  std::vector<float> weight;
  std::vector<int32_t> whole;  // in 2048ths
};

// Of an axis of `from` pixels scaled to `to`; not for the nearest pixel.
Taps taps_of(int64_t from, int64_t to, Interpolation way, bool are_rows);
// The nearest ones.
std::vector<int64_t> nearest_of(int64_t from, int64_t to);

}  // namespace cantik
