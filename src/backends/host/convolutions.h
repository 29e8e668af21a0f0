// Kernels of convolutions over channels-last images; see ops/nn/correlate.cc for the operators.
#pragma once

#include <memory>

#include <cantik/op/kernel.h>
#include <cantik/op/window.h>

namespace cantik::host {

struct ConvolutionSpec {
  Window window;
  int64_t groups = 1;
  bool adjoint = false;  // from the results of a convolution back to its operand
};

// Whether each channel is convolved by itself, with so few filters that vectors run over channels: such
// convolutions have their own kernels (`depthwise`), and the others decline. channels, filters: of a group.
inline bool is_depthwise(int64_t groups, int64_t channels, int64_t filters) {
  return groups > 1 && channels == 1 && filters <= 2;
}

// The kernel w: [filters, channels / groups, taps...] in panels, for the convolution or for its adjoint.
int64_t packed_convolution_elements(DType dtype, const Shape& w, const ConvolutionSpec& s);
std::unique_ptr<Kernel> make_pack_convolution(const Prepare& p, const ConvolutionSpec& s);
std::unique_ptr<Kernel> make_pack_depthwise(const Prepare& p, const ConvolutionSpec& s);
// x: [pixels..., channels], panels -> [pixels..., filters], and the epilogue while it is in cache.
std::unique_ptr<Kernel> make_convolve(const Prepare& p, const ConvolutionSpec& s, bool depthwise);
// x, dy, both channels last -> the kernel's gradient summed over rows, as [groups, taps * channels, filters]
// or, where there are few filters, [groups, filters, taps * channels]; [1, taps, filters] of depthwise ones.
Shape convolution_sums_shape(DType dtype, const Shape& w, const ConvolutionSpec& s);
std::unique_ptr<Kernel> make_convolution_sums(const Prepare& p, const ConvolutionSpec& s, const Shape& w);
std::unique_ptr<Kernel> make_depthwise_sums(const Prepare& p, const ConvolutionSpec& s, const Shape& w);
// That, in the kernel's own order.
std::unique_ptr<Kernel> make_unpack_convolution(const Prepare& p, const ConvolutionSpec& s);
std::unique_ptr<Kernel> make_unpack_depthwise(const Prepare& p, const ConvolutionSpec& s);

}  // namespace cantik::host
