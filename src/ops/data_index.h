// Indices that come as numbers of the data: any bits may be in them.
#pragma once

#include <cstdint>
#include <string>

#include "base/text.h"

namespace cantik {

// The whole number that x is, its fraction cut off; -1 for a negative number, for one that no array reaches,
// and for NaN.
template <class T>
int64_t data_index(T x) {
  constexpr T kFar = static_cast<T>(int64_t{1} << 62);
  return x > T(-1) && x < kFar ? static_cast<int64_t>(x) : -1;
}

// The number as errors show it: whole where it is.
template <class T>
std::string text_of_index(T x) {
  const int64_t i = data_index(x);
  return i >= 0 && static_cast<T>(i) == x ? std::to_string(i) : cat(static_cast<double>(x));
}

}  // namespace cantik
