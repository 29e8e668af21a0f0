// The step of a plain recurrence (Elman 1990).
#include <vector>

#include "layers/cell.h"

namespace cantik::layers {

Function rnn_step(int64_t shape, const CellOptions& o, SourceLocation where) {
  OriginScope scope(where);
  int64_t cell = width_of("RNNStep", shape, o);
  Variable b = parameter({cell}, o.init_bias, o.dtype, "b"),
           w = parameter({kInferred, cell}, o.init, o.dtype, "W"),
           h = parameter({shape, cell}, o.init, o.dtype, "H");
  Variable p = cell == shape ? Variable() : parameter({cell, shape}, o.init, o.dtype, "P");
  Activation stabilize = stabilizer_of(o, "dh_stabilizer"),
             stabilize_cell = p ? stabilizer_of(o, "P_stabilizer") : Activation();
  Activation f = o.activation ? o.activation : Activation("sigmoid");
  return trace_block(
      {"dh", "x"},
      [&](const std::vector<Variable>& in) {
        const Variable &dh = in[0], &x = in[1];
        Variable y = f(sum(sum(product(x, w), product(stabilize(dh), h)), b));
        return function_of({p ? product(stabilize_cell(y), p) : y});
      },
      "RNNStep", o.name);
}

}  // namespace cantik::layers
