// Steps of recurrences. Written by tools/generate from src/layers/cells/: change those files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/layers/argument.h>
#include <cantik/layers/step.h>
#include <cantik/source_location.h>

namespace cantik::layers {

// Options of gru().
struct GruOptions {
  // of the state, where the result is a projection of it
  Extents cell_shape = Shape::unknown();
  // a function, a layer, or the name of an operator
  Activation activation = "tanh";
  // first values of the weights
  Initializer init = glorot_uniform();
  // first values of b
  Initializer init_bias = 0.0;
  // learned factors before the products (Ghahremani and Droppo 2016)
  bool enable_self_stabilization = false;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// The step of a GRU, for Recurrence, Fold and their like.
//
// With update gate z and reset gate r = sigmoid of two parts of x · W + b plus two of h · H: h' = (1 - z)
// activation(x · W + b + (r h) · H1) + z h, with the third part of x · W + b (Cho et al. 2014, "Learning
// phrase representations using RNN encoder-decoder for statistical machine translation").
//
// Gives a function of h and x with the parameters b, W : [input, 3 cell], H : [shape, 2 cell], H1 : [shape,
// cell], with a projection P : [cell, shape].
// shape: of the result
CANTIK_API Function gru(const Extents& shape, const GruOptions& options = {},
                        SourceLocation where = SourceLocation::current());

// Options of lstm().
struct LstmOptions {
  // of the cell, where the result is a projection of it (Sak, Senior, Beaufays 2014)
  Extents cell_shape = Shape::unknown();
  // a function, a layer, or the name of an operator
  Activation activation = "tanh";
  // the gates see the cell, with a weight for each element
  bool use_peepholes = false;
  // first values of the weights
  Initializer init = glorot_uniform();
  // first values of b
  Initializer init_bias = 0.0;
  // learned factors before the products (Ghahremani and Droppo 2016)
  bool enable_self_stabilization = false;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// The step of an LSTM, for Recurrence, Fold and their like.
//
// With i, g, f, o = the four parts of x · W + h · H + b: c' = sigmoid(f) c + sigmoid(i) activation(g) and
// h' = sigmoid(o) activation(c') (Hochreiter and Schmidhuber 1997, "Long short-term memory"; the forget
// gate: Gers, Schmidhuber, Cummins 2000).
//
// Gives a function of h, c and x with the results h and c and the parameters b, W : [input, 4 cell], H :
// [shape, 4 cell], with peepholes Ci, Cf, Co : [cell], with a projection P : [cell, shape].
// shape: of the result
CANTIK_API Function lstm(const Extents& shape, const LstmOptions& options = {},
                         SourceLocation where = SourceLocation::current());

// Options of rnn_step().
struct RnnStepOptions {
  // of the state, where the result is a projection of it
  Extents cell_shape = Shape::unknown();
  // a function, a layer, or the name of an operator
  Activation activation = "sigmoid";
  // first values of the weights
  Initializer init = glorot_uniform();
  // first values of b
  Initializer init_bias = 0.0;
  // learned factors before the products (Ghahremani and Droppo 2016)
  bool enable_self_stabilization = false;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// The step of a plain recurrence, for Recurrence, Fold and their like.
//
// h' = activation(x · W + h · H + b) (Elman 1990, "Finding structure in time").
//
// Gives a function of h and x with the parameters W : [input, cell], H : [shape, cell], b : [cell], with a
// projection P : [cell, shape].
// shape: of the result
CANTIK_API Function rnn_step(const Extents& shape, const RnnStepOptions& options = {},
                             SourceLocation where = SourceLocation::current());

}  // namespace cantik::layers
