// y = activation(W * x + b), over the steps of sequences and as many static axes as the kernel has behind
// them.
#include "layers/convolution_parts.h"

namespace cantik::layers {
namespace {

struct SequentialConvolutionFields {
  static constexpr auto fields() {
    using namespace of_convolution;
    constexpr auto along_steps =
        option("filter_shape", &ConvolutionLayer::filter_shape,
               "of the kernel, without channels; its first axis goes along the steps")
            .required();
    return list(along_steps, num_filters, of_convolution::activation, init, pad, strides, sharing, bias,
                init_bias, reduction_rank, transpose_weight, dilation, groups, max_temp_mem_size_in_samples,
                op_name);
  }
};

Function make_sequential_convolution(const ConvolutionLayer& o) {
  ConvolutionParts c(o);
  Variable b;
  bool given_bias = o.init_bias.kind == Initializer::Kind::values;  // an array brings its own shape
  if (o.bias)
    b = parameter(given_bias ? o.init_bias.tensor.shape() : joined(c.filters, c.axes - 1, 1, {}), o.init_bias,
                  o.dtype, "b");
  return block(o.op_name, o.name, [&](Variable x) {
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
    if (!c.has_filters)
      y = call(
          "reshape", {y},
          {{"shape", Shape()}, {"begin_axis", before_last(c.axes)}, {"end_axis", before_last(c.axes - 1)}});
    return o.activation(y);
  });
}

}  // namespace

CANTIK_LAYERS(sequential_convolution) {
  layers.add<SequentialConvolutionFields>("sequential_convolution", make_sequential_convolution)
      .python("SequentialConvolution")
      .doc(
          "A convolution whose first axis are the steps of sequences: y = activation(W * x + b).\n\n"
          "With strides and dilations along the steps too.")
      .returns(
          "a function of a sequence with the parameters W : [filters, channels, kernel...] and b : [filters, "
          "1...]; the result is a sequence on an axis of its own")
      .example(
          "f = C.layers.SequentialConvolution(3, 8, pad=True)\n"
          "f(C.sequence.input_variable(5)).shape, f.W.shape");
}

}  // namespace cantik::layers
