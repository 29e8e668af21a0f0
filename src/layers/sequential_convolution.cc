// y = activation(W * x + b), over the steps of sequences and as many static axes as the kernel has behind them.
#include "layers/block.h"
#include "layers/recurrence.h"

namespace cantik::layers {

Function sequential_convolution(const Shape& kernel, const std::optional<Extents>& given, const ConvolutionOptions& o, std::source_location where) {
  OriginScope scope(where);
  if (o.groups > 1)
    throw value_error("Convolution: groups > 1, is not currently supported by Convolution layer.").remedy("use the operator convolution, which has groups");
  if (o.reduction_rank != 0 && o.reduction_rank != 1) throw unsupported("Convolution: reduction_rank must be 0 or 1");
  int axes = kernel.rank();
  bool bare = o.reduction_rank == 0;  // an input without channels gets an axis for them
  Shape filters = given.value_or(Shape{1});
  Shape pads(o.pad.over(axes, "pad")), strides(o.strides.over(axes, "strides")), dilation(o.dilation.over(axes, "dilation"));
  auto from_end = [](int64_t count) { return count == 0 ? axis_code::kAllStatic : -count; };  // the place before the last `count` axes

  Variable w = parameter(joined(filters, 1, kInferred, kernel), o.init.with_ranks(-filters.rank(), axes), o.dtype, "W"), b;
  bool given_bias = o.init_bias.kind == Initializer::Kind::values;  // an array brings its own shape
  if (o.bias) b = parameter(given_bias ? o.init_bias.tensor.shape() : joined(filters, axes - 1, 1, {}), o.init_bias, o.dtype, "b");
  return block(o.op_name.empty() ? "Convolution" : o.op_name, o.name, [&](Variable x) {
    if (bare) x = call("reshape", {x}, {{"shape", Shape{1}}, {"begin_axis", from_end(axes - 1)}, {"end_axis", from_end(axes - 1)}});
    Variable y = call("convolution", {w, x},
                      {{"strides", strides}, {"sharing", joined({}, axes, 1, {})}, {"auto_padding", Shape{0} + pads}, {"sequential", true}, {"dilation", dilation},
                       {"max_temp_mem_size_in_samples", o.max_temp_mem_size_in_samples}});
    if (o.bias) y = call("plus", {y, b});
    if (!given) y = call("reshape", {y}, {{"shape", Shape()}, {"begin_axis", from_end(axes)}, {"end_axis", from_end(axes - 1)}});
    return o.activation(y);
  });
}

}  // namespace cantik::layers
