// What convolution layers have in common: their options for each axis of the kernel, and the kernel itself.
#pragma once

#include <optional>

#include "layers/block.h"

namespace cantik::layers {

struct ConvolutionParts {
  ConvolutionParts(const Shape& kernel, const std::optional<Extents>& given, const ConvolutionOptions& o);

  int axes;   // of the kernel
  bool bare;  // an input without channels gets an axis for them
  Shape filters, pads, strides, dilation;
  Variable w;  // [filters, channels, kernel...]
};

// The place before the last `count` axes.
inline int64_t before_last(int64_t count) { return count == 0 ? axis_code::kAllStatic : -count; }

}  // namespace cantik::layers
