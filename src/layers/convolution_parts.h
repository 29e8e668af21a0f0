// What layers of convolutions have in common: their options, and what is made of them.
#pragma once

#include <optional>
#include <string>

#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {

struct ConvolutionLayer : WithParameters {
  Extents filter_shape;
  std::optional<Extents> num_filters;
  bool sequential = false;
  Activation activation;
  Initializer init = glorot_uniform(), init_bias = 0.0;
  PerAxis<bool> pad = false, sharing = true;
  PerAxis<int64_t> strides = 1, dilation = 1;
  bool bias = true, transpose_weight = false;
  int64_t reduction_rank = 1, groups = 1, max_temp_mem_size_in_samples = 0;
  std::string op_name = "Convolution";
};

// Their options, each to be put into lists of fields.
namespace of_convolution {
using C = ConvolutionLayer;
inline constexpr auto filter_shape =
    option("filter_shape", &C::filter_shape, "of the kernel, without channels").required();
inline constexpr auto num_filters =
    option("num_filters", &C::num_filters, "channels of the result; by default it has no channel axis")
        .leading();
inline constexpr auto sequential = option("sequential", &C::sequential,
                                          "the first axis of the filter is that of the steps; where it is "
                                          "padded, the result keeps the sequence axis");
inline constexpr auto activation = option("activation", &C::activation, kActivationDoc).scoped();
inline constexpr auto init = option("init", &C::init, "first values of W").scoped();
inline constexpr auto pad =
    option("pad", &C::pad, "whether zeros around the input keep its size, for each axis").scoped();
inline constexpr auto strides =
    option("strides", &C::strides, "from one position to the next, for each axis");
inline constexpr auto sharing =
    option("sharing", &C::sharing, "the same kernel at all positions; nothing else is supported")
        .python_only();
inline constexpr auto bias = option("bias", &C::bias, "whether there is a b").scoped().truth();
inline constexpr auto init_bias = option("init_bias", &C::init_bias, "first values of b").scoped();
inline constexpr auto reduction_rank =
    option("reduction_rank", &C::reduction_rank, "1 where the input has a channel axis, 0 where it has none");
inline constexpr auto transpose_weight =
    option("transpose_weight", &C::transpose_weight, "not supported").truth().python_only();
inline constexpr auto dilation =
    option("dilation", &C::dilation, "steps between the elements of the kernel, for each axis");
inline constexpr auto groups = option("groups", &C::groups, "1; the operator convolution has groups");
inline constexpr auto max_temp_mem_size_in_samples =
    option("max_temp_mem_size_in_samples", &C::max_temp_mem_size_in_samples,
           "accepted for CNTK's sake, of no effect")
        .python_only();
inline constexpr auto op_name =
    option("op_name", &C::op_name, "accepted as in CNTK, of no effect: the block is a Convolution")
        .python_only();
}  // namespace of_convolution

// The options as sizes for each axis of the kernel, and the kernel itself.
struct ConvolutionParts {
  explicit ConvolutionParts(const ConvolutionLayer& o);

  int axes;          // of the kernel
  bool bare;         // an input without channels gets an axis for them
  bool has_filters;  // else the result has no axis of channels
  Shape filters, pads, strides, dilation;
  Variable w;  // [filters, channels, kernel...]
};

// An error where the options ask for what no convolution has.
void check_convolution(const ConvolutionLayer& o);

// The layer over the steps of sequences and the static axes of the kernel.
Function convolution_along_steps(const ConvolutionLayer& o);

// The place before the last `count` axes.
inline int64_t before_last(int64_t count) { return count == 0 ? axis_code::kAllStatic : -count; }

}  // namespace cantik::layers
