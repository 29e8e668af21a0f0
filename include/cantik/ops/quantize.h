// Networks of signs on packed bits. Written by tools/generate from src/ops/quantize/: change those files.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops/argument.h>
#include <cantik/source_location.h>

namespace cantik {

// Options of binary_convolve().
struct BinaryConvolveOptions {
  // levels of the operand
  int64_t bits = 1;
  // levels of the map
  int64_t map_bits = 1;
  // what the operand's signs are multiplied by: 'none' or 'mean'
  std::string scale = "mean";
  // the map's: 'none', 'mean' or 'filter', a mean for each filter
  std::string map_scale = "mean";
  // steps of the window; one number serves all axes
  Shape strides = {1};
  // whether the operand is padded along an axis of pixels
  std::vector<int64_t> auto_padding = {1};
  // steps between taps
  Shape dilation = {1};
  // into which the channels are divided
  int64_t groups = 1;
  // padding before each axis without auto_padding
  Shape lower_pad = {};
  // padding behind it
  Shape upper_pad = {};
  // of the function
  std::string name = {};
};

// A convolution of sums of signs of both operands, on packed bits: multibit's of one to 32 levels, or, with
// the scale 'none', signs alone. convolution_map: [filters, channels / groups, taps...]; its channels may be
// left to be inferred. operand: [channels, pixels...] with one to three axes of pixels. A tap outside of it
// adds nothing. auto_padding keeps the size (ceil(size / stride) pixels); the channels are summed over, never
// padded. The gradient goes straight through to elements whose magnitude is not above the number of levels.
CANTIK_API Function binary_convolve(const Variable& convolution_map, const Variable& operand,
                                    const BinaryConvolveOptions& options = {},
                                    SourceLocation where = SourceLocation::current());

// A sum of signs near x, for binary networks. The gradient is that of x where |x| <= bit_map, else 0
// (straight through). bit_map: how many levels each element has, or one number for all; a constant. levels:
// the largest of these numbers.
//
// Numbers as sums of signs: y = m[0] b[0] + m[1] b[1] + ..., where b[i] are the signs (+1 above 0, else -1)
// of what the levels before have left of x, and m[i] is the mean of its magnitudes.
// levels: the largest number of levels
// per_filter: each slice along the first axis has means of its own
CANTIK_API Function multibit(const Variable& x, const Variable& bit_map, int64_t levels = 1,
                             bool per_filter = false, const std::string& name = {},
                             SourceLocation where = SourceLocation::current());

// Options of native_binary_convolve().
struct NativeBinaryConvolveOptions {
  // of the window, along both axes
  int64_t stride = 1;
  // whether the result is as large as the operand
  bool padding = false;
  // taps along each axis
  int64_t size = 0;
  // rows of pixels
  int64_t h = 0;
  // columns
  int64_t w = 0;
  // of the operand
  int64_t channels = 0;
  // channels of the result
  int64_t filters = 0;
  // of the function
  std::string name = {};
};

// CNTK's native function NativeBinaryConvolveFunction: binary_convolve of the signs alone. Of n products
// under the window's taps inside the operand, d of unlike signs, the result is n - 2 d. convolution_map:
// [filters, channels, size, size]; operand: [channels, h, w]. The sizes among the attributes are those of the
// operands, or 0.
CANTIK_API Function native_binary_convolve(const Variable& convolution_map, const Variable& operand,
                                           const NativeBinaryConvolveOptions& options = {},
                                           SourceLocation where = SourceLocation::current());

}  // namespace cantik
