// Bodies of <cantik/layers/cells.h>. Written by tools/generate.
#include <cantik/layers/cells.h>

#include <optional>
#include <string>
#include <vector>

#include <cantik/layer_registry.h>

namespace cantik::layers {

Function gru(const Extents& shape, const GruOptions& options, SourceLocation where) {
  return make_layer("gru",
                    {{"shape", shape},
                     {"cell_shape", options.cell_shape},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"init_bias", options.init_bias},
                     {"enable_self_stabilization", options.enable_self_stabilization},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function lstm(const Extents& shape, const LstmOptions& options, SourceLocation where) {
  return make_layer("lstm",
                    {{"shape", shape},
                     {"cell_shape", options.cell_shape},
                     {"activation", options.activation},
                     {"use_peepholes", options.use_peepholes},
                     {"init", options.init},
                     {"init_bias", options.init_bias},
                     {"enable_self_stabilization", options.enable_self_stabilization},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

Function rnn_step(const Extents& shape, const RnnStepOptions& options, SourceLocation where) {
  return make_layer("rnn_step",
                    {{"shape", shape},
                     {"cell_shape", options.cell_shape},
                     {"activation", options.activation},
                     {"init", options.init},
                     {"init_bias", options.init_bias},
                     {"enable_self_stabilization", options.enable_self_stabilization},
                     {"dtype", options.dtype},
                     {"name", options.name}},
                    where);
}

}  // namespace cantik::layers
