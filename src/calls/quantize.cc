// Bodies of <cantik/ops/quantize.h>. Written by tools/generate.
#include <cantik/ops/quantize.h>

#include <string>
#include <vector>

#include "calls/call.h"

namespace cantik {

Function binary_convolve(const Variable& convolution_map, const Variable& operand,
                         const BinaryConvolveOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("binary_convolve", {convolution_map, operand},
              {{"bits", options.bits},
               {"map_bits", options.map_bits},
               {"scale", options.scale},
               {"map_scale", options.map_scale},
               {"strides", options.strides},
               {"auto_padding", options.auto_padding},
               {"dilation", options.dilation},
               {"groups", options.groups},
               {"lower_pad", options.lower_pad},
               {"upper_pad", options.upper_pad}},
              options.name);
}

Function multibit(const Variable& x, const Variable& bit_map, int64_t levels, bool per_filter,
                  const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("multibit", {x, bit_map}, {{"levels", levels}, {"per_filter", per_filter}}, name);
}

Function native_binary_convolve(const Variable& convolution_map, const Variable& operand,
                                const NativeBinaryConvolveOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("native_binary_convolve", {convolution_map, operand},
              {{"stride", options.stride},
               {"padding", options.padding},
               {"size", options.size},
               {"h", options.h},
               {"w", options.w},
               {"channels", options.channels},
               {"filters", options.filters}},
              options.name);
}

}  // namespace cantik
