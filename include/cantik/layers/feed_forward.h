// Layers that see each sample, or each step, alone. Written by tools/generate from src/layers/feed_forward/:
// change those files.
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

// An activation function as a layer.
//
// Gives a function of one argument.
// activation: a function, a layer, or the name of an operator
CANTIK_API Function activation(const Activation& activation = {}, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// Options of dense().
struct DenseOptions {
  // a function, a layer, or the name of an operator
  Activation activation = {};
  // first values of W
  Initializer init = glorot_uniform();
  // how many of the input's last axes are summed over; all by default; at least 0 and at most 64
  std::optional<int64_t> input_rank = {};
  // how many of its first axes stay; only one of the two can be given; at least 0 and at most 64
  std::optional<int64_t> map_rank = {};
  // whether there is a b
  bool bias = true;
  // first values of b
  Initializer init_bias = 0.0;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// y = activation(x · W + b).
//
// Gives a function of one argument with the parameters W : [input..., shape...] and b : [shape...].
// shape: of the result
CANTIK_API Function dense(const Extents& shape, const DenseOptions& options = {},
                          SourceLocation where = SourceLocation::current());

// Options of dropout().
struct DropoutOptions {
  // the probability that an element stays; one of the two must be given; above 0 and at most 1
  std::optional<double> keep_prob = {};
  // of the random numbers; by default the process' next one
  uint64_t seed = kAutoSeed;
  // of the layer
  std::string name = {};
};

// In training each element is 0 with a probability; the others are scaled so that the mean stays.
//
// Gives a function of one argument.
// dropout_rate: the probability of 0
CANTIK_API Function dropout(const std::optional<double>& dropout_rate = {},
                            const DropoutOptions& options = {},
                            SourceLocation where = SourceLocation::current());

// Options of embedding().
struct EmbeddingOptions {
  // first values of E, where it is learned
  std::optional<Initializer> init = {};
  // a table as an array, where it is not
  std::optional<Tensor> weights = {};
  // how many rows E has, where x are whole numbers, each the number of a row, from 0 on (a number outside
  // of the table is a ValueError when it is looked up); without it, x is one-hot; at least 1
  std::optional<int64_t> vocabulary = {};
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// y = x · E: a dense row for each one-hot one; with a vocabulary y = E[x], for integers.
//
// Gives a function of one argument with the parameter (or constant) E : [input, shape...]; with a
// vocabulary, E : [vocabulary, shape...], and an argument of the shape s gives s + shape.
// shape: of the result
CANTIK_API Function embedding(const std::optional<Extents>& shape = {}, const EmbeddingOptions& options = {},
                              SourceLocation where = SourceLocation::current());

// y = x, under a name to find it by.
//
// Gives a function of one argument.
CANTIK_API Function label(const std::string& name, SourceLocation where = SourceLocation::current());

// y = f(x) + x (He et al. 2015, "Deep residual learning").
// f: a function of one argument
CANTIK_API Function resnet_block(const Activation& f, const std::string& name = {},
                                 SourceLocation where = SourceLocation::current());

// One layer after the other.
// layers: functions of one argument
CANTIK_API Function sequential(const std::vector<Activation>& layers, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// The results of several functions of one argument, one behind the other along the last axis.
// functions: functions of one argument
CANTIK_API Function side_by_side(const std::vector<Activation>& functions, const std::string& name = {},
                                 SourceLocation where = SourceLocation::current());

// Options of stabilizer().
struct StabilizerOptions {
  // how fast the factor follows its parameter
  double steepness = 4;
  // False makes it the identity
  bool enable_self_stabilization = true;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// Multiplies with a learned positive factor that begins as 1 (Ghahremani and Droppo 2016).
//
// y = x · softplus(alpha · steepness) / steepness.
//
// Gives a function of one argument with the parameter alpha.
CANTIK_API Function stabilizer(const StabilizerOptions& options = {},
                               SourceLocation where = SourceLocation::current());

}  // namespace cantik::layers
