// y[t] = activation(W * (x[t - (k - 1) / 2], ..., x[t + k / 2]) + b), over the steps of sequences and the static axes of the kernel.
#include "layers/block.h"
#include "layers/recurrence.h"

namespace cantik::layers {

Function convolution_along_steps(const Shape& kernel, const std::optional<Extents>& given, const ConvolutionOptions& o, std::source_location where) {
  OriginScope scope(where);
  if (o.groups > 1)
    throw value_error("Convolution: groups > 1, is not currently supported by Convolution layer.").remedy("use the operator convolution, which has groups");
  if (o.reduction_rank != 0 && o.reduction_rank != 1) throw unsupported("Convolution: reduction_rank must be 0 or 1");
  const int axes = kernel.rank();
  if (axes == 0) throw value_error("a kernel without axes").remedy("its first axis is that of the steps");
  const bool bare = o.reduction_rank == 0;  // an input without channels gets an axis for them
  Shape filters = given.value_or(Shape{1}), pads(o.pad.over(axes, "pad")), strides(o.strides.over(axes, "strides")), dilation(o.dilation.over(axes, "dilation"));
  if (strides[0] != 1 || dilation[0] != 1) throw unsupported("strides and dilations along the steps").remedy("use SequentialConvolution");
  const int64_t length = kernel[0], before = (length - 1) / 2, behind = length / 2;
  const bool padded = pads[0] != 0;
  pads[0] = 0;
  Shape sharing = joined({}, axes, 1, {});
  if (bare) strides = Shape{1} + strides, sharing = Shape{1} + sharing;
  auto from_end = [](int64_t count) { return count == 0 ? axis_code::kAllStatic : -count; };  // the place before the last `count` axes

  Variable w = parameter(joined(filters, 1, kInferred, kernel), o.init.with_ranks(-filters.rank(), axes), o.dtype, "W"), b;
  if (o.bias) b = parameter(joined(filters, axes, 1, {}), o.init_bias, o.dtype, "b");
  return block(o.op_name.empty() ? "Convolution" : o.op_name, o.name, [&](Variable x) {
    // The frames around each step become an axis of its own, which the kernel covers.
    x = call("reshape", {x}, {{"shape", bare ? Shape{1, 1} : Shape{1}}, {"begin_axis", from_end(axes - 1)}, {"end_axis", from_end(axes - 1)}});
    std::vector<Variable> frames;
    for (int64_t i = 0; i < length; ++i) frames.push_back(call("sequence_delay", {x}, {{"time_step", before - i}}));
    x = length == 1 ? frames[0] : Variable(call("splice", frames, {{"axis", int64_t{-axes}}}));
    Variable y = call("convolution", {w, x},
                      {{"strides", strides}, {"sharing", sharing}, {"auto_padding", Shape{0} + pads}, {"dilation", dilation},
                       {"max_temp_mem_size_in_samples", o.max_temp_mem_size_in_samples}});
    if (o.bias) y = call("plus", {y, b});
    y = call("reshape", {y}, {{"shape", Shape()}, {"begin_axis", int64_t{-axes - !given}}, {"end_axis", from_end(axes - 1)}});
    if (!padded && length > 1) y = call("sequence_slice", {y}, {{"begin_index", before}, {"end_index", -behind}});
    return o.activation(y);
  });
}

}  // namespace cantik::layers
