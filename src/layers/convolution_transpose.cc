// The transpose of a convolution as a map of its input: y is as large as an input of which the convolution
// would make x.
#include "layers/block.h"

namespace cantik::layers {

Function convolution_transpose(const Shape& kernel, const Extents& filters, const ConvolutionOptions& o,
                               SourceLocation where) {
  OriginScope scope(where);
  if (o.reduction_rank != 0 && o.reduction_rank != 1)
    throw unsupported("ConvolutionTranspose: reduction_rank must be 0 or 1");
  int axes = kernel.rank();
  bool bare = o.reduction_rank == 0;
  Shape pads(o.pad.over(axes, "pad")), strides(o.strides.over(axes, "strides")),
      dilation(o.dilation.over(axes, "dilation"));
  check_least(1, kernel, "ConvolutionTranspose", "filter_shape");
  check_least(0, filters, "ConvolutionTranspose", "num_filters");
  check_least(1, strides, "ConvolutionTranspose", "strides");
  check_least(1, dilation, "ConvolutionTranspose", "dilation");
  Shape sharing = joined({}, axes, 1, {});
  if (bare) strides = Shape{1} + strides, sharing = Shape{1} + sharing;
  Shape output = o.output_shape.is_known() ? filters + o.output_shape : Shape{0};

  Variable w = parameter(Shape{kInferred} + filters + kernel, o.init.with_ranks(-filters.rank(), axes),
                         o.dtype, "W"),
           b;
  if (o.bias) b = parameter(joined(filters, axes, 1, {}), o.init_bias, o.dtype, "b");
  return block("ConvolutionTranspose", o.name, [&](Variable x) {
    if (bare) x = call("reshape", {x}, {{"shape", Shape{1}}, {"begin_axis", -axes}, {"end_axis", -axes}});
    Variable y = call("convolution", {w, x},
                      {{"strides", strides},
                       {"sharing", sharing},
                       {"auto_padding", Shape{0} + pads},
                       {"output_shape", output},
                       {"dilation", dilation},
                       {"transpose", true},
                       {"max_temp_mem_size_in_samples", o.max_temp_mem_size_in_samples}});
    if (o.bias) y = call("plus", {y, b});
    return o.activation(y);
  });
}

}  // namespace cantik::layers
