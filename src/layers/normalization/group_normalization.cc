// Groups of channels with mean 0 and variance 1, sample by sample, then scaled and shifted (Wu and He 2018).
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct GroupNormalizationLayer : WithParameters {
  int64_t groups = 1, spatial_rank = 2;
  Initializer init_scale = 1.0, init_bias = 0.0;
  double epsilon = 1e-5;

  static constexpr auto fields() {
    using O = GroupNormalizationLayer;
    return list(
        option("groups", &O::groups, "how many; each has as many of the channels, the first axis")
            .required()
            .at_least(1),
        option("init_scale", &O::init_scale, "first values of the scale"),
        option("init_bias", &O::init_bias, "first values of the bias").scoped(),
        option("epsilon", &O::epsilon, "added to the variance").scoped().at_least(0),
        option("spatial_rank", &O::spatial_rank, "how many axes stand behind the channels: 2 of images")
            .keyword()
            .at_least(0));
  }
};

Function make_group_normalization(const GroupNormalizationLayer& o) {
  const Shape channels = joined({kInferred}, static_cast<int>(o.spatial_rank), 1, {});
  const Variable scale = parameter(channels, o.init_scale, o.dtype, "scale"),
                 bias = parameter(channels, o.init_bias, o.dtype, "bias");
  return block("GroupNormalization", o.name, [&](const Variable& x) {
    Variable normal = call("group_normalization", {x}, {{"groups", o.groups}, {"epsilon", o.epsilon}});
    return Variable(call("plus", {call("element_times", {normal, scale}), bias}));
  });
}

}  // namespace

CANTIK_LAYERS(group_normalization) {
  layers.add("group_normalization", make_group_normalization)
      .python("GroupNormalization")
      .doc(
          "Groups of channels of each sample with mean 0 and variance 1, then scaled and shifted (Wu and He "
          "2018, \"Group normalization\").\n\n"
          "y = (x - mean) / sqrt(variance + epsilon) · scale + bias, with mean and variance over the "
          "channels of a group and all their pixels. It is the same in training and evaluation, and for any "
          "minibatch. One group: layer normalization over all of a sample; as many as channels: instance "
          "normalization.")
      .returns(
          "a function of one argument, [channels, pixels...], with the parameters scale and bias : "
          "[channels, 1...]")
      .raises("ValueError: where the groups do not divide the channels")
      .example(
          "z = C.layers.GroupNormalization(2)(C.input_variable((8, 4, 4)))\n"
          "z.shape, z.scale.shape");
}

}  // namespace cantik::layers
