// Bodies of <cantik/layers/feed_forward.h>. Written by tools/generate.
#include <cantik/layers/feed_forward.h>

#include <optional>
#include <string>
#include <vector>

#include <cantik/layer_registry.h>

namespace cantik::layers {

Function activation(const Activation& activation, const std::string& name, SourceLocation where) {
  return make_layer("activation", {{"activation", activation}, {"name", name}}, where);
}

Function dense(const Extents& shape, const DenseOptions& options, SourceLocation where) {
  return make_layer("dense",
                    {{"shape", shape},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"input_rank", options.input_rank},
                     {"map_rank", options.map_rank},
                     {"bias", options.bias},
                     {"init_bias", options.init_bias},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function dropout(const std::optional<double>& dropout_rate, const DropoutOptions& options,
                 SourceLocation where) {
  return make_layer("dropout",
                    {{"dropout_rate", dropout_rate},
                     {"keep_prob", options.keep_prob},
                     {"seed", options.seed},
                     {"name", options.name}},
                    where);
}

Function embedding(const std::optional<Extents>& shape, const EmbeddingOptions& options,
                   SourceLocation where) {
  return make_layer("embedding",
                    {{"shape", shape},
                     {"init", options.init},
                     {"weights", options.weights},
                     {"vocabulary", options.vocabulary},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function label(const std::string& name, SourceLocation where) {
  return make_layer("label", {{"name", name}}, where);
}

Function resnet_block(const Activation& f, const std::string& name, SourceLocation where) {
  return make_layer("resnet_block", {{"f", f}, {"name", name}}, where);
}

Function sequential(const std::vector<Activation>& layers, const std::string& name, SourceLocation where) {
  return make_layer("sequential", {{"layers", layers}, {"name", name}}, where);
}

Function side_by_side(const std::vector<Activation>& functions, const std::string& name,
                      SourceLocation where) {
  return make_layer("side_by_side", {{"functions", functions}, {"name", name}}, where);
}

Function stabilizer(const StabilizerOptions& options, SourceLocation where) {
  return make_layer("stabilizer",
                    {{"steepness", options.steepness},
                     {"enable_self_stabilization", options.enable_self_stabilization},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

}  // namespace cantik::layers
