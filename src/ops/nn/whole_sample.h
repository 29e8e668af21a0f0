// How many numbers softmax and hardmax take together when no axis is given.
#pragma once

#include <cantik/op.h>

namespace cantik {

// The columns of a line: a sample, whole. CNTK takes a value without dynamic axes for a matrix whose rows
// are its last axis, so that each line along it counts as a sample.
inline int64_t columns_of_sample(const Shape& shape, bool dynamic) {
  if (shape.rank() == 0) return 1;
  return dynamic ? shape.elements() : shape.back();
}

}  // namespace cantik
