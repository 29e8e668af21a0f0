// The step of an LSTM (Hochreiter and Schmidhuber 1997), with a forget gate (Gers et al. 2000) and, where
// asked for, peepholes (Gers and Schmidhuber 2000) and a projection (Sak et al. 2014).
#include <vector>

#include "layers/cell.h"

namespace cantik::layers {

Function lstm(int64_t shape, const CellOptions& o, SourceLocation where) {
  OriginScope scope(where);
  int64_t cell = width_of("LSTM", shape, o);
  Variable b = parameter({4 * cell}, o.init_bias, o.dtype, "b"),
           w = parameter({kInferred, 4 * cell}, o.init, o.dtype, "W"),
           h = parameter({shape, 4 * cell}, o.init, o.dtype, "H");
  Variable ci, cf, co, p;
  if (o.use_peepholes) {
    ci = parameter({cell}, o.init, o.dtype, "Ci");
    cf = parameter({cell}, o.init, o.dtype, "Cf");
    co = parameter({cell}, o.init, o.dtype, "Co");
  }
  if (cell != shape) p = parameter({cell, shape}, o.init, o.dtype, "P");
  Activation stabilize_h = stabilizer_of(o, "dh_stabilizer"),
             stabilize_dc = stabilizer_of(o, "dc_stabilizer"), stabilize_c = stabilizer_of(o, "c_stabilizer"),
             stabilize_p = stabilizer_of(o, "P_stabilizer");
  Activation f = o.activation ? o.activation : Activation("tanh");
  return trace_block(
      {"dh", "dc", "x"},
      [&](const std::vector<Variable>& in) {
        const Variable &dh = in[0], &dc = in[1], &x = in[2];
        Variable all = sum(sum(b, product(x, w)), product(stabilize_h(dh), h));
        Variable seen = o.use_peepholes ? stabilize_dc(dc) : dc;
        auto gate = [&](int64_t i, const Variable& peephole, const Variable& state) {
          Variable g = part(all, i, cell);
          return sigmoid_of(peephole ? sum(g, scaled(peephole, state)) : g);
        };
        Variable added = scaled(gate(0, ci, seen), f(part(all, 1, cell)));
        Variable c = sum(scaled(gate(2, cf, seen), dc), added);
        Variable y = scaled(gate(3, co, o.use_peepholes ? stabilize_c(c) : c), f(c));
        return function_of({p ? product(stabilize_p(y), p) : y, c});
      },
      "LSTM", o.name);
}

}  // namespace cantik::layers
