// The transpose of a convolution as a map of its input: y is as large as an input of which the convolution
// would make x.
#include <algorithm>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "layers/convolution_parts.h"

namespace cantik::layers {
namespace {

struct ConvolutionTransposeLayer : ConvolutionLayer {
  Extents output_shape = Shape::unknown();
};

// The options, as those of a convolution; others stand between them in Python.
constexpr auto kernel_fields() {
  using namespace of_convolution;
  return list(
      filter_shape,
      option("num_filters", &ConvolutionLayer::num_filters, "channels of the result").leading().required(),
      activation, init, pad, strides);
}
constexpr auto shape_fields() {
  using namespace of_convolution;
  return list(bias, init_bias,
              option("output_shape", &ConvolutionTransposeLayer::output_shape,
                     "of the result without channels, where strides leave it open"),
              reduction_rank, dilation);
}
struct TransposeFields {
  static constexpr auto fields() {
    using namespace of_convolution;
    return std::tuple_cat(kernel_fields(), list(sharing), shape_fields(), list(max_temp_mem_size_in_samples));
  }
};
struct TransposeFieldsOfRank {
  static constexpr auto fields() { return std::tuple_cat(kernel_fields(), shape_fields()); }
};

Function make_convolution_transpose(const ConvolutionTransposeLayer& o) {
  const std::vector<int64_t>& shared = o.sharing.values();
  if (std::find(shared.begin(), shared.end(), 0) != shared.end())
    throw unsupported("ConvolutionTranspose: sharing option currently must be True");
  if (!o.num_filters) throw type_error("ConvolutionTranspose: num_filters must be given");
  if (o.reduction_rank != 0 && o.reduction_rank != 1)
    throw unsupported("ConvolutionTranspose: reduction_rank must be 0 or 1");
  const Shape &kernel = o.filter_shape, &filters = *o.num_filters;
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
                       {"dilation", Shape{1} + dilation},
                       {"transpose", true},
                       {"max_temp_mem_size_in_samples", o.max_temp_mem_size_in_samples}});
    if (o.bias) y = call("plus", {y, b});
    return o.activation(y);
  });
}

// A kernel of so many axes; one number stands for a kernel as long in every direction.
template <int kAxes>
Function transpose_of_rank(const ConvolutionTransposeLayer& given) {
  ConvolutionTransposeLayer o = given;
  if (o.filter_shape.rank() == 1) o.filter_shape = joined({}, kAxes, o.filter_shape[0], {});
  if (o.filter_shape.rank() != kAxes)
    throw value_error(cat("ConvolutionTranspose", kAxes, "D: the filter has ", o.filter_shape.rank(),
                          " axes, not ", kAxes));
  return make_convolution_transpose(o);
}

constexpr const char* kTransposeStruct = "ConvolutionTransposeOptions";

}  // namespace

CANTIK_LAYERS(convolution_transpose) {
  layers.add<TransposeFields>("convolution_transpose", make_convolution_transpose)
      .python("ConvolutionTranspose")
      .struct_name(kTransposeStruct)
      .doc(
          "The transpose of a convolution: the result is as large as an input of which the convolution would "
          "make x.")
      .returns(
          "a function of one argument with the parameters W : [channels, filters, kernel...] and b : "
          "[filters, 1...]")
      .example(
          "f = C.layers.ConvolutionTranspose((3, 3), 8, strides=2)\n"
          "f(C.input_variable((4, 5, 5))).shape");
  layers.add<TransposeFieldsOfRank>("convolution_transpose1d", transpose_of_rank<1>)
      .python("ConvolutionTranspose1D")
      .struct_name(kTransposeStruct)
      .doc("A ConvolutionTranspose along one axis. x : [channels, width].")
      .returns("a function of one argument with the parameters W and b")
      .example("C.layers.ConvolutionTranspose1D(2, 8, strides=2)(C.input_variable((3, 10))).shape");
  layers.add<TransposeFieldsOfRank>("convolution_transpose2d", transpose_of_rank<2>)
      .python("ConvolutionTranspose2D")
      .struct_name(kTransposeStruct)
      .doc("A ConvolutionTranspose along two axes. x : [channels, height, width].")
      .returns("a function of one argument with the parameters W and b")
      .example("C.layers.ConvolutionTranspose2D((2, 2), 4, strides=2)(C.input_variable((3, 8, 8))).shape");
  layers.add<TransposeFieldsOfRank>("convolution_transpose3d", transpose_of_rank<3>)
      .python("ConvolutionTranspose3D")
      .struct_name(kTransposeStruct)
      .doc("A ConvolutionTranspose along three axes. x : [channels, depth, height, width].")
      .returns("a function of one argument with the parameters W and b")
      .example(
          "C.layers.ConvolutionTranspose3D((2, 2, 2), 3, strides=2)(C.input_variable((1, 2, 4, 4))).shape");
}

}  // namespace cantik::layers
