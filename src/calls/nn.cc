// Bodies of <cantik/ops/nn.h>. Written by tools/generate.
#include <cantik/ops/nn.h>

#include <string>
#include <vector>

#include "calls/call.h"

namespace cantik {

Function batch_normalization(const Variable& operand, const Variable& scale, const Variable& bias,
                             const Variable& running_mean, const Variable& running_inv_std,
                             const BatchNormalizationOptions& options, SourceLocation where) {
  OriginScope scope(where);
  std::vector<Variable> operands{operand, scale, bias, running_mean, running_inv_std};
  if (options.running_count) operands.push_back(options.running_count);
  return call("batch_normalization", operands,
              {{"spatial", options.spatial},
               {"normalization_time_constant", options.normalization_time_constant},
               {"blend_time_constant", options.blend_time_constant},
               {"epsilon", options.epsilon},
               {"use_cudnn_engine", options.use_cudnn_engine},
               {"disable_regularization", options.disable_regularization}},
              options.name);
}

Function convolution(const Variable& convolution_map, const Variable& operand,
                     const ConvolutionOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("convolution", {convolution_map, operand},
              {{"strides", options.strides},
               {"sharing", options.sharing},
               {"auto_padding", options.auto_padding},
               {"sequential", options.sequential},
               {"dilation", options.dilation},
               {"reduction_rank", options.reduction_rank},
               {"groups", options.groups},
               {"max_temp_mem_size_in_samples", options.max_temp_mem_size_in_samples},
               {"lower_pad", options.lower_pad},
               {"upper_pad", options.upper_pad},
               {"transpose", options.transpose},
               {"output_shape", options.output_shape}},
              options.name);
}

Function group_normalization(const Variable& operand, int64_t groups, double epsilon, const std::string& name,
                             SourceLocation where) {
  OriginScope scope(where);
  return call("group_normalization", {operand}, {{"groups", groups}, {"epsilon", epsilon}}, name);
}

Function hardmax(const Variable& x, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("hardmax", {x}, {}, name);
}

Function image_scaler(const Variable& x, double scalar, const std::vector<double>& biases,
                      const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("image_scaler", {x}, {{"scalar", scalar}, {"biases", biases}}, name);
}

Function local_response_normalization(const Variable& operand,
                                      const LocalResponseNormalizationOptions& options,
                                      SourceLocation where) {
  OriginScope scope(where);
  return call("local_response_normalization", {operand},
              {{"depth_radius", options.depth_radius},
               {"bias", options.bias},
               {"alpha", options.alpha},
               {"beta", options.beta}},
              options.name);
}

Function log_softmax(const Variable& x, AxisArgument axis, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("log_softmax", {x}, {{"axis", axis.code}}, name);
}

Function mean_variance_normalization(const Variable& operand, const MeanVarianceNormalizationOptions& options,
                                     SourceLocation where) {
  OriginScope scope(where);
  return call("mean_variance_normalization", {operand},
              {{"epsilon", options.epsilon},
               {"use_stats_across_channels", options.use_stats_across_channels},
               {"do_variance_scaling", options.do_variance_scaling}},
              options.name);
}

Function per_dim_mean_variance_normalize(const Variable& operand, const Variable& mean,
                                         const Variable& inv_stddev, const std::string& name,
                                         SourceLocation where) {
  OriginScope scope(where);
  return call("per_dim_mean_variance_normalize", {operand, mean, inv_stddev}, {}, name);
}

Function pooling(const Variable& operand, const PoolingOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("pooling", {operand},
              {{"pooling_type", options.pooling_type},
               {"pooling_window_shape", options.pooling_window_shape},
               {"strides", options.strides},
               {"auto_padding", options.auto_padding},
               {"ceil_out_dim", options.ceil_out_dim},
               {"include_pad", options.include_pad},
               {"lower_pad", options.lower_pad},
               {"upper_pad", options.upper_pad}},
              options.name);
}

Function roipooling(const Variable& operand, const Variable& rois, const RoipoolingOptions& options,
                    SourceLocation where) {
  OriginScope scope(where);
  return call("roipooling", {operand, rois},
              {{"pooling_type", options.pooling_type},
               {"roi_output_shape", options.roi_output_shape},
               {"spatial_scale", options.spatial_scale}},
              options.name);
}

Function softmax(const Variable& x, AxisArgument axis, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("softmax", {x}, {{"axis", axis.code}}, name);
}

Function unpooling(const Variable& operand, const Variable& pooling_input, const UnpoolingOptions& options,
                   SourceLocation where) {
  OriginScope scope(where);
  return call("unpooling", {operand, pooling_input},
              {{"unpooling_type", options.unpooling_type},
               {"unpooling_window_shape", options.unpooling_window_shape},
               {"strides", options.strides},
               {"auto_padding", options.auto_padding},
               {"lower_pad", options.lower_pad},
               {"upper_pad", options.upper_pad}},
              options.name);
}

}  // namespace cantik
