// The attributes of convolutions, as CNTK has them.
#pragma once

#include <cantik/op.h>

namespace cantik {

struct ConvolutionAttributes {
  Shape strides{1};
  std::vector<int64_t> sharing{1}, auto_padding{1};
  bool sequential = false;
  Shape dilation{1};
  int64_t reduction_rank = 1, groups = 1, max_temp_mem_size_in_samples = 0;
  Shape lower_pad, upper_pad;
  bool transpose = false;
  Shape output_shape;
  static constexpr auto fields() {
    using Convolution = ConvolutionAttributes;
    return list(
        field("strides", &Convolution::strides, "steps of the window; one number serves all axes")
            .key("strides")
            .role(CANTIK_SHAPE_OF),
        field("sharing", &Convolution::sharing, "whether the map is the same everywhere along an axis")
            .key("sharing")
            .role(CANTIK_FLAGS),
        field("auto_padding", &Convolution::auto_padding,
              "whether the operand is padded with zeros along an axis")
            .key("autoPadding")
            .role(CANTIK_FLAGS),
        field("sequential", &Convolution::sequential, "whether the sequence axis takes part")
            .key("sequential"),
        field("dilation", &Convolution::dilation, "steps between taps").key("dilation").role(CANTIK_SHAPE_OF),
        field("reduction_rank", &Convolution::reduction_rank,
              "1: the first axis of the operand holds channels; 0: it has none"),
        field("groups", &Convolution::groups, "into which the channels are divided").key("groups"),
        field("max_temp_mem_size_in_samples", &Convolution::max_temp_mem_size_in_samples,
              "has no meaning here")
            .key("maxTempMemSizeInSamples"),
        field("lower_pad", &Convolution::lower_pad, "zeros before each axis without auto_padding")
            .key("lowerPad")
            .role(CANTIK_SHAPE_OF),
        field("upper_pad", &Convolution::upper_pad, "zeros behind it").key("upperPad").role(CANTIK_SHAPE_OF),
        field("transpose", &Convolution::transpose, "the transposed convolution").key("transpose"),
        field("output_shape", &Convolution::output_shape, "of the transposed convolution's result")
            .key("outputShape")
            .role(CANTIK_SHAPE_OF));
  }
};

}  // namespace cantik
