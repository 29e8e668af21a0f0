// y = activation(W * x + b), over the steps of sequences and as many static axes as the kernel has behind
// them.
#include <optional>

#include "layers/convolution_parts.h"
#include "layers/recurrence.h"

namespace cantik::layers {

Function sequential_convolution(const Shape& kernel, const std::optional<Extents>& given,
                                const ConvolutionOptions& o, SourceLocation where) {
  OriginScope scope(where);
  ConvolutionParts c(kernel, given, o);
  Variable b;
  bool given_bias = o.init_bias.kind == Initializer::Kind::values;  // an array brings its own shape
  if (o.bias)
    b = parameter(given_bias ? o.init_bias.tensor.shape() : joined(c.filters, c.axes - 1, 1, {}), o.init_bias,
                  o.dtype, "b");
  return block(o.op_name.empty() ? "Convolution" : o.op_name, o.name, [&](Variable x) {
    if (c.bare)
      x = call("reshape", {x},
               {{"shape", Shape{1}},
                {"begin_axis", before_last(c.axes - 1)},
                {"end_axis", before_last(c.axes - 1)}});
    Variable y = call("convolution", {c.w, x},
                      {{"strides", c.strides},
                       {"sharing", joined({}, c.axes, 1, {})},
                       {"auto_padding", Shape{0} + c.pads},
                       {"sequential", true},
                       {"dilation", c.dilation},
                       {"max_temp_mem_size_in_samples", o.max_temp_mem_size_in_samples}});
    if (o.bias) y = call("plus", {y, b});
    if (!given)
      y = call(
          "reshape", {y},
          {{"shape", Shape()}, {"begin_axis", before_last(c.axes)}, {"end_axis", before_last(c.axes - 1)}});
    return o.activation(y);
  });
}

}  // namespace cantik::layers
