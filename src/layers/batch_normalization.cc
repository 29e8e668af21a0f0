// Each element, or each channel, with mean 0 and variance 1 over the batch; running statistics outside
// training.
#include "layers/block.h"

namespace cantik::layers {

Function batch_normalization(const BatchNormalizationOptions& o, SourceLocation where) {
  OriginScope scope(where);
  if (o.map_rank && *o.map_rank != 1)
    throw unsupported("Untested code branch: BatchNormalization map_rank can only be 1 or None for now");
  Shape channels{kInferred};
  Variable scale = parameter(channels, o.init_scale, o.dtype, "scale"),
           bias = parameter(channels, 0.0, o.dtype, "bias");
  Variable mean = constant(channels, 0.0, o.dtype, "aggregate_mean"),
           variance = constant(channels, 0.0, o.dtype, "aggregate_variance");
  Variable count = constant(Shape(), 0.0, o.dtype, "aggregate_count");
  return block("BatchNormalization", o.name, [&](const Variable& x) {
    return Variable(call("batch_normalization", {x, scale, bias, mean, variance, count},
                         {{"spatial", o.map_rank.has_value()},
                          {"normalization_time_constant", o.normalization_time_constant},
                          {"blend_time_constant", o.blend_time_constant},
                          {"epsilon", o.epsilon},
                          {"use_cudnn_engine", !o.use_cntk_engine},
                          {"disable_regularization", o.disable_regularization}}));
  });
}

}  // namespace cantik::layers
