// Each element, or each channel, with mean 0 and variance 1 over the batch; running statistics outside
// training.
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct BatchNormalizationLayer : WithParameters {
  std::optional<int64_t> map_rank;
  Initializer init_scale = 1.0;
  double normalization_time_constant = 5000, blend_time_constant = 0, epsilon = 1e-5;
  bool use_cntk_engine = false, disable_regularization = false;

  static constexpr auto fields() {
    using O = BatchNormalizationLayer;
    return list(
        option("map_rank", &O::map_rank,
               "1: one mean and variance for each channel; otherwise one for each element")
            .scoped(),
        option("init_scale", &O::init_scale, "first values of the scale"),
        option("normalization_time_constant", &O::normalization_time_constant,
               "how many samples the running statistics remember")
            .scoped(),
        option("blend_time_constant", &O::blend_time_constant,
               "how many samples' worth the running statistics count in training"),
        option("epsilon", &O::epsilon, "added to the variance").scoped(),
        option("use_cntk_engine", &O::use_cntk_engine, "written to files, of no effect here").scoped(),
        option("disable_regularization", &O::disable_regularization,
               "leaves scale and bias out of L1 and L2 regularisation")
            .scoped());
  }
};

Function make_batch_normalization(const BatchNormalizationLayer& o) {
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

}  // namespace

CANTIK_LAYERS(batch_normalization) {
  layers.add("batch_normalization", make_batch_normalization)
      .python("BatchNormalization")
      .doc(
          "Each element, or each channel, with mean 0 and variance 1 over the batch, then scaled and shifted "
          "(Ioffe and Szegedy 2015).\n\n"
          "y = (x - mean) / sqrt(variance + epsilon) · scale + bias, by running statistics outside training.")
      .returns(
          "a function of one argument with the parameters scale and bias and the constants aggregate_mean, "
          "aggregate_variance, aggregate_count")
      .example(
          "z = C.layers.BatchNormalization(map_rank=1)(C.input_variable((3, 4, 4)))\n"
          "z.shape, z.scale.shape");
}

}  // namespace cantik::layers
