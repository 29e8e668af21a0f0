// Along sequences: delays, gathering, first and last, reductions over steps. Written by tools/generate from
// src/ops/sequence/: change those files.
#pragma once

#include <string>
#include <vector>

#include <cantik/api.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/ops/argument.h>
#include <cantik/source_location.h>

namespace cantik {

// Options of optimized_rnnstack().
struct OptimizedRnnstackOptions {
  // numbers in a state, of each direction; at least 1
  int64_t hidden_size = 1;
  // how many layers; at least 1 and at most 1000
  int64_t num_layers = 1;
  // whether each layer runs from both ends, its results side by side
  bool bidirectional = false;
  // 'lstm', 'gru', 'rnnTanh' or 'rnnReLU'
  std::string recurrent_op = "lstm";
  // of the function
  std::string name = {};
};

// Recurrent layers on top of one another, whose weights lie in one parameter as cuDNN has them. For each
// layer and direction the matrices [state, input] of all gates, then those [state, state]; behind them all,
// for each layer and direction, two biases a gate. Gates: lstm i, f, g, o; gru r, z, n. Weights of the shape
// (InferredDimension, n) get their rows from the operand.
CANTIK_API Function optimized_rnnstack(const Variable& operand, const Variable& weights,
                                       const OptimizedRnnstackOptions& options = {},
                                       SourceLocation where = SourceLocation::current());

// The first static axis of each sample becomes the steps of a sequence, on an axis of its own. Where lengths
// are given, one number for each sample, only so many steps are taken.
// sequence_axis_name_prefix: how the name of the new axis begins
CANTIK_API Function to_sequence(const Variable& x, const Variable& sequence_lengths = {},
                                const std::string& sequence_axis_name_prefix = "toSequence_",
                                const std::string& name = {},
                                SourceLocation where = SourceLocation::current());

// The first static axis of each sample becomes the steps of a sequence, on the axis of dynamic_axes_like and
// of its lengths.
CANTIK_API Function to_sequence_like(const Variable& x, const Variable& dynamic_axes_like,
                                     const std::string& name = {},
                                     SourceLocation where = SourceLocation::current());

namespace sequence {

// The operand, one value for each sequence, at each step of broadcast_as_operand.
CANTIK_API Function broadcast_as(const Variable& operand, const Variable& broadcast_as_operand,
                                 const std::string& name = {},
                                 SourceLocation where = SourceLocation::current());

// The step time_step before each step, where it is negative behind it; 0 gives the operand itself.
// time_step: how many steps back or ahead
CANTIK_API Function delay(const Variable& x, const Variable& initial_state = {}, int64_t time_step = 1,
                          const std::string& name = {}, SourceLocation where = SourceLocation::current());

// The first step of each sequence.
CANTIK_API Function first(const Variable& seq, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

// The step time_step behind each step. The last ones get the initial state: 0, a constant or parameter, a
// value for each sequence, or the first steps of another sequence.
// time_step: how many steps back or ahead
CANTIK_API Function future_value(const Variable& x, const Variable& initial_state = {}, int64_t time_step = 1,
                                 const std::string& name = {},
                                 SourceLocation where = SourceLocation::current());

// The steps at which the condition is not 0, as a sequence on an axis of its own; the same condition gives
// the same axis.
// new_sequence_axis_typeinfo: where the lengths of the result are known: a times those of the condition plus
// b, as (a, b)
CANTIK_API Function gather(const Variable& seq, const Variable& condition,
                           const std::vector<int64_t>& new_sequence_axis_typeinfo = {},
                           const std::string& name = {}, SourceLocation where = SourceLocation::current());

// 1 at the first step of each sequence, 0 elsewhere.
CANTIK_API Function is_first(const Variable& seq, const std::string& name = {},
                             SourceLocation where = SourceLocation::current());

// 1 at the last step of each sequence, 0 elsewhere.
CANTIK_API Function is_last(const Variable& seq, const std::string& name = {},
                            SourceLocation where = SourceLocation::current());

// The last step of each sequence.
CANTIK_API Function last(const Variable& seq, const std::string& name = {},
                         SourceLocation where = SourceLocation::current());

// The step time_step before each step. The first ones get the initial state: 0, a constant or parameter, a
// value for each sequence, or the last steps of another sequence.
// time_step: how many steps back or ahead
CANTIK_API Function past_value(const Variable& x, const Variable& initial_state = {}, int64_t time_step = 1,
                               const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// The largest number over the steps of each sequence, element by element. That of no steps is -infinity.
CANTIK_API Function reduce_max(const Variable& seq, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// The sum over the steps of each sequence. That of no steps is 0.
CANTIK_API Function reduce_sum(const Variable& seq, const std::string& name = {},
                               SourceLocation where = SourceLocation::current());

// The steps of seq one after the other where the condition is not 0, zeros elsewhere.
// new_sequence_axis_typeinfo: two numbers, which change nothing: the result has the lengths of the condition
CANTIK_API Function scatter(const Variable& seq, const Variable& condition,
                            const std::vector<int64_t>& new_sequence_axis_typeinfo = {},
                            const std::string& name = {}, SourceLocation where = SourceLocation::current());

// The steps from begin_index to before end_index of each sequence. Negative numbers count from the end; the
// end 0 is the end of the sequence. A slice of one step is a batch, without a sequence axis.
// begin_index: the first step; negative: from the end
// end_index: the first step that is not taken; 0 or negative: from the end
CANTIK_API Function slice(const Variable& seq, int64_t begin_index, int64_t end_index,
                          const std::string& name = {}, SourceLocation where = SourceLocation::current());

// e^x / sum of e^x over the steps of each sequence, element by element.
CANTIK_API Function softmax(const Variable& seq, const std::string& name = {},
                            SourceLocation where = SourceLocation::current());

// The steps of each sequence as a first static axis, as long as the longest sequence, with padding_value
// behind shorter ones; and a mask, 1 where a step is.
// padding_value: what stands where a sequence has no steps
CANTIK_API Function unpack(const Variable& x, double padding_value, const std::string& name = {},
                           SourceLocation where = SourceLocation::current());

// The places, from 0, of the steps at which the condition is 1, as a sequence on an axis of its own. Other
// numbers add up: a step is chosen as often as the running sum passes a whole number.
CANTIK_API Function where(const Variable& condition, const std::string& name = {},
                          SourceLocation where = SourceLocation::current());

}  // namespace sequence

}  // namespace cantik
