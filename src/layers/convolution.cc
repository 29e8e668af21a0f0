// y = activation(W * x + b), over as many axes as the kernel has.
#include <optional>
#include <string>

#include "layers/convolution_parts.h"

namespace cantik::layers {
namespace {

Function checked(int axes, const Shape& kernel, const std::optional<Extents>& filters,
                 const ConvolutionOptions& o, SourceLocation where) {
  // One number stands for a kernel as long in every direction.
  Shape full = kernel.rank() == 1 ? joined({}, axes, kernel[0], {}) : kernel;
  if (full.rank() != axes)
    throw value_error("the kernel must have " + std::to_string(axes) + " axes, and has the shape " +
                      kernel.text());
  return convolution(full, filters, o, where);
}

}  // namespace

Function convolution(const Shape& kernel, const std::optional<Extents>& given, const ConvolutionOptions& o,
                     SourceLocation where) {
  OriginScope scope(where);
  ConvolutionParts c(kernel, given, o);
  Shape sharing = joined({}, c.axes, 1, {});
  if (c.bare) c.strides = Shape{1} + c.strides, sharing = Shape{1} + sharing;

  Variable b;
  if (o.bias) b = parameter(joined(c.filters, c.axes, 1, {}), o.init_bias, o.dtype, "b");
  return block(o.op_name.empty() ? "Convolution" : o.op_name, o.name, [&](Variable x) {
    if (c.bare)
      x = call("reshape", {x}, {{"shape", Shape{1}}, {"begin_axis", -c.axes}, {"end_axis", -c.axes}});
    Variable y = call("convolution", {c.w, x},
                      {{"strides", c.strides},
                       {"sharing", sharing},
                       {"auto_padding", Shape{0} + c.pads},
                       {"dilation", c.dilation},
                       {"max_temp_mem_size_in_samples", o.max_temp_mem_size_in_samples}});
    if (o.bias) y = call("plus", {y, b});
    if (!given)
      y = call("reshape", {y}, {{"shape", Shape()}, {"begin_axis", -c.axes - 1}, {"end_axis", -c.axes}});
    return o.activation(y);
  });
}

Function convolution1d(const Shape& kernel, const std::optional<Extents>& filters,
                       const ConvolutionOptions& o, SourceLocation where) {
  return checked(1, kernel, filters, o, where);
}
Function convolution2d(const Shape& kernel, const std::optional<Extents>& filters,
                       const ConvolutionOptions& o, SourceLocation where) {
  return checked(2, kernel, filters, o, where);
}
Function convolution3d(const Shape& kernel, const std::optional<Extents>& filters,
                       const ConvolutionOptions& o, SourceLocation where) {
  return checked(3, kernel, filters, o, where);
}

}  // namespace cantik::layers
