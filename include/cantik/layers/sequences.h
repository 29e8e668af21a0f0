// Layers along sequences. Written by tools/generate from src/layers/sequences/: change those files.
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

// Options of attention_model().
struct AttentionModelOptions {
  // only over the last so many steps; by default over all
  std::optional<int64_t> attention_span = {};
  // the static axis these steps lie on; given together with attention_span
  std::optional<int64_t> attention_axis = {};
  // first values of the weights
  Initializer init = glorot_uniform();
  // with attention_span: over the first steps instead
  bool go_backwards = false;
  // learned factors before the products (Ghahremani and Droppo 2016)
  bool enable_self_stabilization = true;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// Attention over the states of an encoder.
//
// For each step of the decoder with state d, over the steps s of the encoder with states e: u[s] = v ·
// tanh(e[s] · W + d · V), a = softmax(u), result = sum over s of a[s] e[s] (Bahdanau, Cho, Bengio 2015,
// "Neural machine translation by jointly learning to align and translate").
//
// Gives a function of the encoder's states and the decoder's, two sequences; one result for each step of
// the decoder.
// attention_dim: of the space in which the two are compared
CANTIK_API Function attention_model(int64_t attention_dim, const AttentionModelOptions& options = {},
                                    SourceLocation where = SourceLocation::current());

// The value T steps before.
//
// y[t] = x[t - T], at the beginning of a sequence (with a negative T: at its end) the initial state.
//
// Gives a function of one argument, a sequence.
// T: how many steps back; negative: ahead; 0: x itself
// initial_state: a number, an array, a parameter or constant
CANTIK_API Function delay(int64_t T = 1, const InitialState& initial_state = 0, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// Options of fold() and recurrence().
struct RecurrenceOptions {
  // from the last step to the first
  bool go_backwards = false;
  // what the states are before the first step: a number, an array, a parameter or constant, or a tuple with
  // one for each state
  std::vector<InitialState> initial_state = {0};
  // all states; otherwise the first
  bool return_full_state = false;
  // of the layer
  std::string name = {};
};

// The states of a recurrence after its last step, one value for each sequence.
//
// Gives a function of a sequence, whose result has no sequence axis.
// folder_function: step(h, x) -> h, or with several states step(h, c, x) -> h, c: a layer, a Function, or
// code
CANTIK_API Function fold(const std::optional<Step>& folder_function, const RecurrenceOptions& options = {},
                         SourceLocation where = SourceLocation::current());

// The last steps of a sequence, side by side along a static axis, the latest first.
//
// Gives a function of a sequence with two results, one for each sequence: the values, and 1 for each step
// that there was, 0 for others.
// window_size: how many; at least 1 and at most 65536
// axis: the axis they lie on, counted from the end: -1 joins them along the last axis, -2 makes a new one
// in front of it
// go_backwards: the first steps instead
CANTIK_API Function past_value_window(int64_t window_size, int64_t axis, bool go_backwards = false,
                                      const std::string& name = {},
                                      SourceLocation where = SourceLocation::current());

// Applies a step along a sequence: h[t] = step(h[t - 1], x[t]).
//
// Gives a function of a sequence, whose result is a sequence of the same lengths.
// step_function: step(h, x) -> h, or with several states step(h, c, x) -> h, c: a layer, a Function, or
// code
CANTIK_API Function recurrence(const std::optional<Step>& step_function,
                               const RecurrenceOptions& options = {},
                               SourceLocation where = SourceLocation::current());

// Options of recurrence_from().
struct RecurrenceFromOptions {
  // from the last step to the first
  bool go_backwards = false;
  // all states; otherwise the first
  bool return_full_state = false;
  // of the layer
  std::string name = {};
};

// A recurrence whose initial states are arguments.
//
// Gives a function of the initial states and a sequence. An initial state has a value for each sequence, or
// is a sequence, whose last step (going backwards: whose first step) counts.
// step_function: step(h, x) -> h, or with several states step(h, c, x) -> h, c: a layer, a Function, or
// code
CANTIK_API Function recurrence_from(const std::optional<Step>& step_function,
                                    const RecurrenceFromOptions& options = {},
                                    SourceLocation where = SourceLocation::current());

// Options of sequential_convolution().
struct SequentialConvolutionOptions {
  // a function, a layer, or the name of an operator
  Activation activation = {};
  // first values of W
  Initializer init = glorot_uniform();
  // whether zeros around the input keep its size, for each axis
  PerAxis<bool> pad = false;
  // from one position to the next, for each axis
  PerAxis<int64_t> strides = 1;
  // whether there is a b
  bool bias = true;
  // first values of b
  Initializer init_bias = 0.0;
  // 1 where the input has a channel axis, 0 where it has none
  int64_t reduction_rank = 1;
  // steps between the elements of the kernel, for each axis
  PerAxis<int64_t> dilation = 1;
  // 1; the operator convolution has groups
  int64_t groups = 1;
  // of the parameters
  DType dtype = DType::float32;
  // of the layer
  std::string name = {};
};

// A convolution whose first axis are the steps of sequences: y = activation(W * x + b).
//
// With strides and dilations along the steps too.
//
// Gives a function of a sequence with the parameters W : [filters, channels, kernel...] and b : [filters,
// 1...]; the result is a sequence on an axis of its own.
// filter_shape: of the kernel, without channels; its first axis goes along the steps
// num_filters: channels of the result; by default it has no channel axis
CANTIK_API Function sequential_convolution(const Extents& filter_shape,
                                           const std::optional<Extents>& num_filters = {},
                                           const SequentialConvolutionOptions& options = {},
                                           SourceLocation where = SourceLocation::current());

// Options of unfold_from().
struct UnfoldFromOptions {
  // a function of an output that is 1 where the sequence ends with it; by default it is as long as it may
  // be
  std::optional<Step> until_predicate = {};
  // how long it may be, as a factor of the length of the sequence it is made for; at least 0
  double length_increase = 1;
  // of the layer
  std::string name = {};
};

// A sequence that a function makes of a state, each output from the state before.
//
// Gives a function of an initial state and of a sequence, whose length (times length_increase) bounds that
// of the result.
// generator_function: generator(state) -> output, which is the next state too, or generator(state) ->
// output, state
CANTIK_API Function unfold_from(const std::optional<Step>& generator_function,
                                const UnfoldFromOptions& options = {},
                                SourceLocation where = SourceLocation::current());

}  // namespace cantik::layers
