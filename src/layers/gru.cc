// The step of a GRU (Cho et al. 2014): the reset gate before the product.
#include <vector>

#include "layers/cell.h"

namespace cantik::layers {

Function gru(int64_t shape, const CellOptions& o, SourceLocation where) {
  OriginScope scope(where);
  int64_t cell = width_of("GRU", shape, o);
  Variable b = parameter({3 * cell}, o.init_bias, o.dtype, "b"),
           w = parameter({kInferred, 3 * cell}, o.init, o.dtype, "W"),
           h = parameter({shape, 2 * cell}, o.init, o.dtype, "H"),
           h1 = parameter({shape, cell}, o.init, o.dtype, "H1");
  Variable p = cell == shape ? Variable() : parameter({cell, shape}, o.init, o.dtype, "P");
  Activation stabilize = stabilizer_of(o, "dh_stabilizer"),
             stabilize_cell = p ? stabilizer_of(o, "P_stabilizer") : Activation();
  Activation f = o.activation ? o.activation : Activation("tanh");
  return trace_block(
      {"dh", "x"},
      [&](const std::vector<Variable>& in) {
        Variable dh = stabilize(in[0]), of_x = sum(b, product(in[1], w)), of_h = product(dh, h);
        auto gate = [&](int64_t i) { return sigmoid_of(sum(part(of_x, i, cell), part(of_h, i, cell))); };
        Variable z = gate(0), r = gate(1);
        Variable candidate = f(sum(part(of_x, 2, cell), product(scaled(dh, r), h1)));
        Variable y =
            sum(scaled(call("minus", {constant(Shape(), 1.0, o.dtype), z}), candidate), scaled(z, dh));
        return function_of({p ? product(stabilize_cell(y), p) : y});
      },
      "GRU", o.name);
}

}  // namespace cantik::layers
