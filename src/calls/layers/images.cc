// Bodies of <cantik/layers/images.h>. Written by tools/generate.
#include <cantik/layers/images.h>

#include <optional>
#include <string>
#include <vector>

#include <cantik/layer_registry.h>

namespace cantik::layers {

Function average_pooling(const Shape& filter_shape, const PoolingOptions& options, SourceLocation where) {
  return make_layer("average_pooling",
                    {{"filter_shape", filter_shape},
                     {"strides", options.strides},
                     {"pad", options.pad},
                     {"name", options.name}},
                    where);
}

Function convolution(const Extents& filter_shape, const std::optional<Extents>& num_filters,
                     const ConvolutionOptions& options, SourceLocation where) {
  return make_layer("convolution",
                    {{"filter_shape", filter_shape},
                     {"num_filters", num_filters},
                     {"sequential", options.sequential},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"pad", options.pad},
                     {"strides", options.strides},
                     {"bias", options.bias},
                     {"init_bias", options.init_bias},
                     {"reduction_rank", options.reduction_rank},
                     {"dilation", options.dilation},
                     {"groups", options.groups},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function convolution1d(const Extents& filter_shape, const std::optional<Extents>& num_filters,
                       const ConvolutionOptions& options, SourceLocation where) {
  return make_layer("convolution1d",
                    {{"filter_shape", filter_shape},
                     {"num_filters", num_filters},
                     {"sequential", options.sequential},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"pad", options.pad},
                     {"strides", options.strides},
                     {"bias", options.bias},
                     {"init_bias", options.init_bias},
                     {"reduction_rank", options.reduction_rank},
                     {"dilation", options.dilation},
                     {"groups", options.groups},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function convolution2d(const Extents& filter_shape, const std::optional<Extents>& num_filters,
                       const ConvolutionOptions& options, SourceLocation where) {
  return make_layer("convolution2d",
                    {{"filter_shape", filter_shape},
                     {"num_filters", num_filters},
                     {"sequential", options.sequential},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"pad", options.pad},
                     {"strides", options.strides},
                     {"bias", options.bias},
                     {"init_bias", options.init_bias},
                     {"reduction_rank", options.reduction_rank},
                     {"dilation", options.dilation},
                     {"groups", options.groups},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function convolution3d(const Extents& filter_shape, const std::optional<Extents>& num_filters,
                       const ConvolutionOptions& options, SourceLocation where) {
  return make_layer("convolution3d",
                    {{"filter_shape", filter_shape},
                     {"num_filters", num_filters},
                     {"sequential", options.sequential},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"pad", options.pad},
                     {"strides", options.strides},
                     {"bias", options.bias},
                     {"init_bias", options.init_bias},
                     {"reduction_rank", options.reduction_rank},
                     {"dilation", options.dilation},
                     {"groups", options.groups},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function convolution_transpose(const Extents& filter_shape, const std::optional<Extents>& num_filters,
                               const ConvolutionTransposeOptions& options, SourceLocation where) {
  return make_layer("convolution_transpose",
                    {{"filter_shape", filter_shape},
                     {"num_filters", num_filters},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"pad", options.pad},
                     {"strides", options.strides},
                     {"bias", options.bias},
                     {"init_bias", options.init_bias},
                     {"output_shape", options.output_shape},
                     {"reduction_rank", options.reduction_rank},
                     {"dilation", options.dilation},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function convolution_transpose1d(const Extents& filter_shape, const std::optional<Extents>& num_filters,
                                 const ConvolutionTransposeOptions& options, SourceLocation where) {
  return make_layer("convolution_transpose1d",
                    {{"filter_shape", filter_shape},
                     {"num_filters", num_filters},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"pad", options.pad},
                     {"strides", options.strides},
                     {"bias", options.bias},
                     {"init_bias", options.init_bias},
                     {"output_shape", options.output_shape},
                     {"reduction_rank", options.reduction_rank},
                     {"dilation", options.dilation},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function convolution_transpose2d(const Extents& filter_shape, const std::optional<Extents>& num_filters,
                                 const ConvolutionTransposeOptions& options, SourceLocation where) {
  return make_layer("convolution_transpose2d",
                    {{"filter_shape", filter_shape},
                     {"num_filters", num_filters},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"pad", options.pad},
                     {"strides", options.strides},
                     {"bias", options.bias},
                     {"init_bias", options.init_bias},
                     {"output_shape", options.output_shape},
                     {"reduction_rank", options.reduction_rank},
                     {"dilation", options.dilation},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function convolution_transpose3d(const Extents& filter_shape, const std::optional<Extents>& num_filters,
                                 const ConvolutionTransposeOptions& options, SourceLocation where) {
  return make_layer("convolution_transpose3d",
                    {{"filter_shape", filter_shape},
                     {"num_filters", num_filters},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"pad", options.pad},
                     {"strides", options.strides},
                     {"bias", options.bias},
                     {"init_bias", options.init_bias},
                     {"output_shape", options.output_shape},
                     {"reduction_rank", options.reduction_rank},
                     {"dilation", options.dilation},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function global_average_pooling(const std::string& name, SourceLocation where) {
  return make_layer("global_average_pooling", {{"name", name}}, where);
}

Function global_max_pooling(const std::string& name, SourceLocation where) {
  return make_layer("global_max_pooling", {{"name", name}}, where);
}

Function max_pooling(const Shape& filter_shape, const PoolingOptions& options, SourceLocation where) {
  return make_layer("max_pooling",
                    {{"filter_shape", filter_shape},
                     {"strides", options.strides},
                     {"pad", options.pad},
                     {"name", options.name}},
                    where);
}

Function max_unpooling(const Shape& filter_shape, const PoolingOptions& options, SourceLocation where) {
  return make_layer("max_unpooling",
                    {{"filter_shape", filter_shape},
                     {"strides", options.strides},
                     {"pad", options.pad},
                     {"name", options.name}},
                    where);
}

}  // namespace cantik::layers
