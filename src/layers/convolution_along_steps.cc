// y[t] = activation(W * (x[t - (k - 1) / 2], ..., x[t + k / 2]) + b), over the steps of sequences and the
// static axes of the kernel.
#include <vector>

#include "layers/convolution_parts.h"

namespace cantik::layers {

Function convolution_along_steps(const ConvolutionLayer& o) {
  const Shape& kernel = o.filter_shape;
  if (kernel.rank() == 0)
    throw value_error("the kernel needs at least one axis, that of the steps")
        .remedy("give the size along the steps first");
  ConvolutionParts c(o);
  if (c.strides[0] != 1 || c.dilation[0] != 1)
    throw unsupported("Convolution has no strides and dilations along the steps")
        .remedy("use SequentialConvolution");
  const int64_t length = kernel[0], before = (length - 1) / 2, behind = length / 2;
  const bool padded = c.pads[0] != 0;
  c.pads[0] = 0;
  Shape sharing = joined({}, c.axes, 1, {});
  if (c.bare) c.strides = Shape{1} + c.strides, sharing = Shape{1} + sharing;

  Variable b;
  if (o.bias) b = parameter(joined(c.filters, c.axes, 1, {}), o.init_bias, o.dtype, "b");
  return block("Convolution", o.name, [&](Variable x) {
    // The frames around each step become an axis of its own, which the kernel covers.
    x = call("reshape", {x},
             {{"shape", c.bare ? Shape{1, 1} : Shape{1}},
              {"begin_axis", before_last(c.axes - 1)},
              {"end_axis", before_last(c.axes - 1)}});
    std::vector<Variable> frames;
    for (int64_t i = 0; i < length; ++i)
      frames.push_back(call("sequence_delay", {x}, {{"time_step", before - i}}));
    x = length == 1 ? frames[0] : Variable(call("splice", frames, {{"axis", int64_t{-c.axes}}}));
    Variable y = call("convolution", {c.w, x},
                      {{"strides", c.strides},
                       {"sharing", sharing},
                       {"auto_padding", Shape{0} + c.pads},
                       {"dilation", Shape{1} + c.dilation},
                       {"max_temp_mem_size_in_samples", o.max_temp_mem_size_in_samples}});
    if (o.bias) y = call("plus", {y, b});
    y = call("reshape", {y},
             {{"shape", Shape()},
              {"begin_axis", int64_t{-c.axes - !c.has_filters}},
              {"end_axis", before_last(c.axes - 1)}});
    if (!padded && length > 1)
      y = call("sequence_slice", {y}, {{"begin_index", before}, {"end_index", -behind}});
    return o.activation(y);
  });
}

}  // namespace cantik::layers
