// y = activation(W * x + b), over as many axes as the kernel has.
#include "base/text.h"
#include "layers/convolution_parts.h"

namespace cantik::layers {
namespace {

struct ConvolutionFields {
  static constexpr auto fields() {
    using namespace of_convolution;
    return list(filter_shape, num_filters, sequential, activation, init, pad, strides, sharing, bias,
                init_bias, reduction_rank, transpose_weight, dilation, groups, max_temp_mem_size_in_samples,
                op_name);
  }
};
// The options of convolutions of one rank: fewer in Python.
struct ConvolutionFieldsOfRank {
  static constexpr auto fields() {
    using namespace of_convolution;
    return list(filter_shape, num_filters, sequential.cpp_only(), activation, init, pad, strides, bias,
                init_bias, reduction_rank, dilation, groups);
  }
};
// In CNTK groups stand behind the name in the call of the first rank.
struct ConvolutionFieldsOfFirstRank {
  static constexpr auto fields() {
    using namespace of_convolution;
    return list(filter_shape, num_filters, sequential.cpp_only(), activation, init, pad, strides, bias,
                init_bias, reduction_rank, dilation, groups.behind());
  }
};

Function make_convolution(const ConvolutionLayer& o) {
  if (o.sequential) return convolution_along_steps(o);
  ConvolutionParts c(o);
  Shape sharing = joined({}, c.axes, 1, {});
  if (c.bare) c.strides = Shape{1} + c.strides, sharing = Shape{1} + sharing;

  Variable b;
  if (o.bias) b = parameter(joined(c.filters, c.axes, 1, {}), o.init_bias, o.dtype, "b");
  return block("Convolution", o.name, [&](Variable x) {
    if (c.bare)
      x = call("reshape", {x}, {{"shape", Shape{1}}, {"begin_axis", -c.axes}, {"end_axis", -c.axes}});
    Variable y = call("convolution", {c.w, x},
                      {{"strides", c.strides},
                       {"sharing", sharing},
                       {"auto_padding", Shape{0} + c.pads},
                       {"dilation", Shape{1} + c.dilation},
                       {"max_temp_mem_size_in_samples", o.max_temp_mem_size_in_samples}});
    if (o.bias) y = call("plus", {y, b});
    if (!c.has_filters)
      y = call("reshape", {y}, {{"shape", Shape()}, {"begin_axis", -c.axes - 1}, {"end_axis", -c.axes}});
    return o.activation(y);
  });
}

// A kernel of so many axes; one number stands for a kernel as long in every direction.
template <int kAxes>
Function convolution_of_rank(const ConvolutionLayer& given) {
  ConvolutionLayer o = given;
  if (o.filter_shape.rank() == 1) o.filter_shape = joined({}, kAxes, o.filter_shape[0], {});
  if (o.filter_shape.rank() != kAxes)
    throw value_error(
        cat("Convolution", kAxes, "D: the filter has ", o.filter_shape.rank(), " axes, not ", kAxes));
  return make_convolution(o);
}

constexpr const char* kConvolutionStruct = "ConvolutionOptions";

}  // namespace

CANTIK_LAYERS(convolution) {
  layers.add<ConvolutionFields>("convolution", make_convolution)
      .python("Convolution")
      .struct_name(kConvolutionStruct)
      .doc(
          "y = activation(W * x + b), over as many of the last axes as the filter has.\n\n"
          "Without num_filters the result has no channel axis.")
      .returns(
          "a function of one argument with the parameters W : [filters, channels, kernel...] and b : "
          "[filters, 1...]")
      .example(
          "f = C.layers.Convolution((3, 3), 8, pad=True)\n"
          "f(C.input_variable((1, 28, 28))).shape, f.W.shape");
  layers.add<ConvolutionFieldsOfFirstRank>("convolution1d", convolution_of_rank<1>)
      .python("Convolution1D")
      .struct_name(kConvolutionStruct)
      .doc("A Convolution along one axis. x : [channels, width].")
      .returns("a function of one argument with the parameters W and b")
      .example("C.layers.Convolution1D(5, 8)(C.input_variable((3, 10))).shape");
  layers.add<ConvolutionFieldsOfRank>("convolution2d", convolution_of_rank<2>)
      .python("Convolution2D")
      .struct_name(kConvolutionStruct)
      .doc("A Convolution along two axes. x : [channels, height, width].")
      .returns("a function of one argument with the parameters W and b")
      .example("C.layers.Convolution2D((3, 3), 16, pad=True, strides=2)(C.input_variable((3, 8, 8))).shape");
  layers.add<ConvolutionFieldsOfRank>("convolution3d", convolution_of_rank<3>)
      .python("Convolution3D")
      .struct_name(kConvolutionStruct)
      .doc("A Convolution along three axes. x : [channels, depth, height, width].")
      .returns("a function of one argument with the parameters W and b")
      .example("C.layers.Convolution3D((3, 3, 3), 2)(C.input_variable((1, 4, 8, 8))).shape");
}

}  // namespace cantik::layers
