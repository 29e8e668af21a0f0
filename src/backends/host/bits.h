// Kernels of convolutions of bits; see ops/quantize/binary_convolve.cc for the operators.
//
// Numbers stand for sums of signs: x = scale[0] * (+-1) + scale[1] * (+-1) + ..., a plane of bits for each
// level. A convolution of such numbers with filters of the same kind is a sum over pairs of planes, and of a
// pair it is (bits under the window) - 2 * (unlike bits).
#pragma once

#include <memory>
#include <vector>

#include <cantik/op/kernel.h>
#include <cantik/op/window.h>

namespace cantik::host {

// What the signs of one level are multiplied by: nothing, the mean of the magnitudes of all that is left, or
// of each filter by itself.
enum class BitScale : uint8_t { none, mean, filter };

struct BitSpec {
  int64_t levels = 1;
  BitScale scale = BitScale::none;
  int64_t groups = 1;
};

// x as a sum of `levels` signs: [..] -> [..]; map says for each number how many levels it has (one number for
// all, or as many as x has). per_filter: means are those of slices along the first axis.
std::unique_ptr<Kernel> make_multibit(const Prepare& p, int64_t levels, bool per_filter);

// x: [channels, pixels...] or, with `last`, [pixels..., channels] -> [pixels..., bytes]: for each pixel the
// scales and the planes of bits.
int64_t packed_pixel_bytes(DType dtype, int64_t channels, const BitSpec& s);
std::unique_ptr<Kernel> make_pack_bits(const Prepare& p, const BitSpec& s, bool last);

// w: [filters, channels / groups, taps...] -> scales, panels of bits, and how many ones lie under each tap.
int64_t packed_filter_bytes(DType dtype, const Shape& w, const BitSpec& s);
std::unique_ptr<Kernel> make_pack_filters(const Prepare& p, const BitSpec& s);

// Both -> [pixels..., filters] or, with `first`, [filters, pixels...].
struct BitConvolution {
  Window window;
  BitSpec operand, filter;
  int64_t channels = 1, filters = 1;
  bool first = false;
};
std::unique_ptr<Kernel> make_bit_convolution(const Prepare& p, const BitConvolution& c);

}  // namespace cantik::host
