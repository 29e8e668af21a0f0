// y = activation(W * x + b), over as many axes as the kernel has.
#include "layers/block.h"

namespace cantik::layers {
namespace {

Function checked(int axes, const Shape& kernel, const std::optional<Extents>& filters, const ConvolutionOptions& o, SourceLocation where) {
  // One number stands for a kernel as long in every direction.
  Shape full = kernel.rank() == 1 ? joined({}, axes, kernel[0], {}) : kernel;
  if (full.rank() != axes) throw value_error("a kernel of " + std::to_string(axes) + " axes was expected, not " + kernel.text());
  return convolution(full, filters, o, where);
}

}  // namespace

Function convolution(const Shape& kernel, const std::optional<Extents>& given, const ConvolutionOptions& o, SourceLocation where) {
  OriginScope scope(where);
  if (o.groups > 1)
    throw value_error("Convolution: groups > 1, is not currently supported by Convolution layer.").remedy("use the operator convolution, which has groups");
  if (o.reduction_rank != 0 && o.reduction_rank != 1) throw unsupported("Convolution: reduction_rank must be 0 or 1");
  int axes = kernel.rank();
  bool bare = o.reduction_rank == 0;  // an input without channels gets an axis for them
  Shape filters = given.value_or(Shape{1});
  Shape pads(o.pad.over(axes, "pad")), strides(o.strides.over(axes, "strides")), dilation(o.dilation.over(axes, "dilation"));
  Shape sharing = joined({}, axes, 1, {});
  if (bare) strides = Shape{1} + strides, sharing = Shape{1} + sharing;

  Variable w = parameter(joined(filters, 1, kInferred, kernel), o.init.with_ranks(-filters.rank(), axes), o.dtype, "W"), b;
  if (o.bias) b = parameter(joined(filters, axes, 1, {}), o.init_bias, o.dtype, "b");
  return block(o.op_name.empty() ? "Convolution" : o.op_name, o.name, [&](Variable x) {
    if (bare) x = call("reshape", {x}, {{"shape", Shape{1}}, {"begin_axis", -axes}, {"end_axis", -axes}});
    Variable y = call("convolution", {w, x},
                      {{"strides", strides}, {"sharing", sharing}, {"auto_padding", Shape{0} + pads}, {"dilation", dilation},
                       {"max_temp_mem_size_in_samples", o.max_temp_mem_size_in_samples}});
    if (o.bias) y = call("plus", {y, b});
    if (!given) y = call("reshape", {y}, {{"shape", Shape()}, {"begin_axis", -axes - 1}, {"end_axis", -axes}});
    return o.activation(y);
  });
}

Function convolution1d(const Shape& kernel, const std::optional<Extents>& filters, const ConvolutionOptions& o, SourceLocation where) {
  return checked(1, kernel, filters, o, where);
}
Function convolution2d(const Shape& kernel, const std::optional<Extents>& filters, const ConvolutionOptions& o, SourceLocation where) {
  return checked(2, kernel, filters, o, where);
}
Function convolution3d(const Shape& kernel, const std::optional<Extents>& filters, const ConvolutionOptions& o, SourceLocation where) {
  return checked(3, kernel, filters, o, where);
}

}  // namespace cantik::layers
