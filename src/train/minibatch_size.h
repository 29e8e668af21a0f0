// Sizes of minibatches, which schedules have as real numbers.
#pragma once

#include <cstdint>

#include <cantik/error.h>
#include <cantik/train.h>

#include "base/text.h"

namespace cantik {

// Rounded down; a size that cannot be counted is all there is.
inline int64_t whole_size(double n) {
  constexpr double kMost = 0x1p63;
  if (!(n >= 1)) throw value_error(cat("minibatch_size must be at least 1, and is ", n));
  return n < kMost ? static_cast<int64_t>(n) : ArraySource::kEndless;
}

}  // namespace cantik
