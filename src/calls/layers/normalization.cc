// Bodies of <cantik/layers/normalization.h>. Written by tools/generate.
#include <cantik/layers/normalization.h>

#include <optional>
#include <string>
#include <vector>

#include <cantik/layer_registry.h>

namespace cantik::layers {

Function batch_normalization(const BatchNormalizationOptions& options, SourceLocation where) {
  return make_layer("batch_normalization",
                    {{"map_rank", options.map_rank},
                     {"init_scale", options.init_scale},
                     {"normalization_time_constant", options.normalization_time_constant},
                     {"blend_time_constant", options.blend_time_constant},
                     {"epsilon", options.epsilon},
                     {"use_cntk_engine", options.use_cntk_engine},
                     {"disable_regularization", options.disable_regularization},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function group_normalization(int64_t groups, const GroupNormalizationOptions& options, SourceLocation where) {
  return make_layer("group_normalization",
                    {{"groups", groups},
                     {"init_scale", options.init_scale},
                     {"init_bias", options.init_bias},
                     {"epsilon", options.epsilon},
                     {"spatial_rank", options.spatial_rank},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function layer_normalization(const LayerNormalizationOptions& options, SourceLocation where) {
  return make_layer("layer_normalization",
                    {{"initial_scale", options.initial_scale},
                     {"initial_bias", options.initial_bias},
                     {"epsilon", options.epsilon},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

}  // namespace cantik::layers
