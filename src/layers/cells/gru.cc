// The step of a GRU (Cho et al. 2014): the reset gate before the product.
#include <vector>

#include "layers/cell.h"

namespace cantik::layers {
namespace {

struct GruFields {
  static constexpr auto fields() {
    using namespace of_cell;
    return list(shape, cell_shape, activation, init, init_bias, enable_self_stabilization);
  }
};

Function make_gru(const Cell& o) {
  const auto [shape, cell, projects] = Widths("GRU", o);
  Variable b = parameter({3 * cell}, o.init_bias, o.dtype, "b"),
           w = parameter({kInferred, 3 * cell}, o.init, o.dtype, "W"),
           h = parameter({shape, 2 * cell}, o.init, o.dtype, "H"),
           h1 = parameter({shape, cell}, o.init, o.dtype, "H1");
  Variable p = projects ? parameter({cell, shape}, o.init, o.dtype, "P") : Variable();
  Activation stabilize = stabilizer_of(o, "dh_stabilizer"),
             stabilize_cell = p ? stabilizer_of(o, "P_stabilizer") : Activation();
  return trace_block(
      {"dh", "x"},
      [&, cell = cell](const std::vector<Variable>& in) {
        Variable dh = stabilize(in[0]), of_x = sum(b, product(in[1], w)), of_h = product(dh, h);
        auto gate = [&](int64_t i) { return sigmoid_of(sum(part(of_x, i, cell), part(of_h, i, cell))); };
        Variable z = gate(0), r = gate(1);
        Variable candidate = o.activation(sum(part(of_x, 2, cell), product(scaled(dh, r), h1)));
        Variable y =
            sum(scaled(call("minus", {constant(Shape(), 1.0, o.dtype), z}), candidate), scaled(z, dh));
        return function_of({p ? product(stabilize_cell(y), p) : y});
      },
      "GRU", o.name);
}

}  // namespace

CANTIK_LAYERS(gru) {
  layers.add<GruFields>("gru", make_gru)
      .python("GRU", "blocks")
      .doc(
          "The step of a GRU, for Recurrence, Fold and their like.\n\n"
          "With update gate z and reset gate r = sigmoid of two parts of x · W + b plus two of h · H: h' = "
          "(1 - z) activation(x · W + b + (r h) · H1) + z h, with the third part of x · W + b (Cho et al. "
          "2014, \"Learning phrase representations using RNN encoder-decoder for statistical machine "
          "translation\").")
      .returns(
          "a function of h and x with the parameters b, W : [input, 3 cell], H : [shape, 2 cell], H1 : "
          "[shape, cell], with a projection P : [cell, shape]")
      .example(
          "z = C.layers.Recurrence(C.layers.GRU(5))(C.sequence.input_variable(3))\n"
          "z.W.shape, z.H.shape, z.H1.shape");
}

}  // namespace cantik::layers
