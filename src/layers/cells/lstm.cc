// The step of an LSTM (Hochreiter and Schmidhuber 1997), with a forget gate (Gers et al. 2000) and, where
// asked for, peepholes (Gers and Schmidhuber 2000) and a projection (Sak et al. 2014).
#include <vector>

#include "layers/cell.h"

namespace cantik::layers {
namespace {

struct Lstm : Cell {
  bool use_peepholes = false;

  static constexpr auto fields() {
    return list(of_cell::shape,
                option("cell_shape", &Cell::cell_shape,
                       "of the cell, where the result is a projection of it (Sak, Senior, Beaufays 2014)"),
                of_cell::activation,
                option("use_peepholes", &Lstm::use_peepholes,
                       "the gates see the cell, with a weight for each element")
                    .scoped()
                    .truth(),
                of_cell::init, of_cell::init_bias, of_cell::enable_self_stabilization);
  }
};

Function make_lstm(const Lstm& o) {
  const auto [shape, cell, projects] = Widths("LSTM", o);
  Variable b = parameter({4 * cell}, o.init_bias, o.dtype, "b"),
           w = parameter({kInferred, 4 * cell}, o.init, o.dtype, "W"),
           h = parameter({shape, 4 * cell}, o.init, o.dtype, "H");
  Variable ci, cf, co, p;
  if (o.use_peepholes) {
    ci = parameter({cell}, o.init, o.dtype, "Ci");
    cf = parameter({cell}, o.init, o.dtype, "Cf");
    co = parameter({cell}, o.init, o.dtype, "Co");
  }
  if (projects) p = parameter({cell, shape}, o.init, o.dtype, "P");
  Activation stabilize_h = stabilizer_of(o, "dh_stabilizer"),
             stabilize_dc = stabilizer_of(o, "dc_stabilizer"), stabilize_c = stabilizer_of(o, "c_stabilizer"),
             stabilize_p = stabilizer_of(o, "P_stabilizer");
  return trace_block(
      {"dh", "dc", "x"},
      [&, cell = cell](const std::vector<Variable>& in) {
        const Variable &dh = in[0], &dc = in[1], &x = in[2];
        Variable all = sum(sum(b, product(x, w)), product(stabilize_h(dh), h));
        Variable seen = o.use_peepholes ? stabilize_dc(dc) : dc;
        auto gate = [&](int64_t i, const Variable& peephole, const Variable& state) {
          Variable g = part(all, i, cell);
          return sigmoid_of(peephole ? sum(g, scaled(peephole, state)) : g);
        };
        Variable added = scaled(gate(0, ci, seen), o.activation(part(all, 1, cell)));
        Variable c = sum(scaled(gate(2, cf, seen), dc), added);
        Variable y = scaled(gate(3, co, o.use_peepholes ? stabilize_c(c) : c), o.activation(c));
        return function_of({p ? product(stabilize_p(y), p) : y, c});
      },
      "LSTM", o.name);
}

}  // namespace

CANTIK_LAYERS(lstm) {
  layers.add("lstm", make_lstm)
      .python("LSTM", "blocks")
      .doc(
          "The step of an LSTM, for Recurrence, Fold and their like.\n\n"
          "With i, g, f, o = the four parts of x · W + h · H + b: c' = sigmoid(f) c + sigmoid(i) "
          "activation(g) and h' = sigmoid(o) activation(c') (Hochreiter and Schmidhuber 1997, \"Long "
          "short-term memory\"; the forget gate: Gers, Schmidhuber, Cummins 2000).")
      .returns(
          "a function of h, c and x with the results h and c and the parameters b, W : [input, 4 cell], H : "
          "[shape, 4 cell], with peepholes Ci, Cf, Co : [cell], with a projection P : [cell, shape]")
      .example(
          "z = C.layers.Recurrence(C.layers.LSTM(5))(C.sequence.input_variable(3))\n"
          "z.W.shape, z.H.shape, z.b.shape");
}

}  // namespace cantik::layers
