// Sizes, steps and paddings of windows, images and maps: places along an axis are 32-bit numbers, and no sum
// of a few figures leaves 64 bits.
#pragma once

#include <cstdint>
#include <string>

#include <cantik/op/infer.h>

namespace cantik {

inline constexpr int64_t kLargestFigure = int64_t{1} << 30;

template <class List>
void check_figures(const char* what, const List& list) {
  for (int64_t d : list)
    if (d > kLargestFigure || d < -kLargestFigure)
      throw value_failure(
          std::string(what) + " is out of range: " + std::to_string(d),
          "give a number from -" + std::to_string(kLargestFigure) + " to " + std::to_string(kLargestFigure));
}

}  // namespace cantik
