// The step of a plain recurrence (Elman 1990).
#include <vector>

#include "layers/cell.h"

namespace cantik::layers {
namespace {

struct RnnStep : Cell {
  RnnStep() { activation = "sigmoid"; }
};
struct RnnStepFields {
  static constexpr auto fields() {
    using namespace of_cell;
    return list(shape, cell_shape, activation, init, init_bias, enable_self_stabilization);
  }
};

Function make_rnn_step(const RnnStep& o) {
  const auto [shape, cell, projects] = Widths("RNNStep", o);
  Variable b = parameter({cell}, o.init_bias, o.dtype, "b"),
           w = parameter({kInferred, cell}, o.init, o.dtype, "W"),
           h = parameter({shape, cell}, o.init, o.dtype, "H");
  Variable p = projects ? parameter({cell, shape}, o.init, o.dtype, "P") : Variable();
  Activation stabilize = stabilizer_of(o, "dh_stabilizer"),
             stabilize_cell = p ? stabilizer_of(o, "P_stabilizer") : Activation();
  return trace_block(
      {"dh", "x"},
      [&](const std::vector<Variable>& in) {
        const Variable &dh = in[0], &x = in[1];
        Variable y = o.activation(sum(sum(product(x, w), product(stabilize(dh), h)), b));
        return function_of({p ? product(stabilize_cell(y), p) : y});
      },
      "RNNStep", o.name);
}

}  // namespace

CANTIK_LAYERS(rnn_step) {
  layers.add<RnnStepFields>("rnn_step", make_rnn_step)
      .python("RNNStep", "blocks")
      .doc(
          "The step of a plain recurrence, for Recurrence, Fold and their like.\n\n"
          "h' = activation(x · W + h · H + b) (Elman 1990, \"Finding structure in time\").")
      .returns(
          "a function of h and x with the parameters W : [input, cell], H : [shape, cell], b : [cell], with "
          "a projection P : [cell, shape]")
      .example(
          "z = C.layers.Recurrence(C.layers.RNNStep(5, activation=C.tanh))(C.sequence.input_variable(3))\n"
          "z.W.shape, z.H.shape, z.b.shape");
}

}  // namespace cantik::layers
