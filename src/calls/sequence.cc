// Bodies of <cantik/ops/sequence.h>. Written by tools/generate.
#include <cantik/ops/sequence.h>

#include <string>
#include <vector>

#include "calls/call.h"

namespace cantik {

Function optimized_rnnstack(const Variable& operand, const Variable& weights,
                            const OptimizedRnnstackOptions& options, SourceLocation where) {
  OriginScope scope(where);
  return call("optimized_rnnstack", {operand, weights},
              {{"hidden_size", options.hidden_size},
               {"num_layers", options.num_layers},
               {"bidirectional", options.bidirectional},
               {"recurrent_op", options.recurrent_op}},
              options.name);
}

Function to_sequence(const Variable& x, const Variable& sequence_lengths,
                     const std::string& sequence_axis_name_prefix, const std::string& name,
                     SourceLocation where) {
  OriginScope scope(where);
  std::vector<Variable> operands{x};
  if (sequence_lengths) operands.push_back(sequence_lengths);
  return call("to_sequence", operands, {{"sequence_axis_name_prefix", sequence_axis_name_prefix}}, name);
}

Function to_sequence_like(const Variable& x, const Variable& dynamic_axes_like, const std::string& name,
                          SourceLocation where) {
  OriginScope scope(where);
  return call("to_sequence_like", {x, dynamic_axes_like}, {}, name);
}

namespace sequence {

Function broadcast_as(const Variable& operand, const Variable& broadcast_as_operand, const std::string& name,
                      SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_broadcast_as", {operand, broadcast_as_operand}, {}, name);
}

Function delay(const Variable& x, const Variable& initial_state, int64_t time_step, const std::string& name,
               SourceLocation where) {
  OriginScope scope(where);
  std::vector<Variable> operands{x};
  if (initial_state) operands.push_back(initial_state);
  return call("sequence_delay", operands, {{"time_step", time_step}}, name);
}

Function first(const Variable& seq, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_first", {seq}, {}, name);
}

Function future_value(const Variable& x, const Variable& initial_state, int64_t time_step,
                      const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  std::vector<Variable> operands{x};
  if (initial_state) operands.push_back(initial_state);
  return call("sequence_future_value", operands, {{"time_step", time_step}}, name);
}

Function gather(const Variable& seq, const Variable& condition,
                const std::vector<int64_t>& new_sequence_axis_typeinfo, const std::string& name,
                SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_gather", {seq, condition},
              {{"new_sequence_axis_typeinfo", new_sequence_axis_typeinfo}}, name);
}

Function is_first(const Variable& seq, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_is_first", {seq}, {}, name);
}

Function is_last(const Variable& seq, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_is_last", {seq}, {}, name);
}

Function last(const Variable& seq, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_last", {seq}, {}, name);
}

Function past_value(const Variable& x, const Variable& initial_state, int64_t time_step,
                    const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  std::vector<Variable> operands{x};
  if (initial_state) operands.push_back(initial_state);
  return call("sequence_past_value", operands, {{"time_step", time_step}}, name);
}

Function reduce_max(const Variable& seq, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_reduce_max", {seq}, {}, name);
}

Function reduce_sum(const Variable& seq, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_reduce_sum", {seq}, {}, name);
}

Function scatter(const Variable& seq, const Variable& condition,
                 const std::vector<int64_t>& new_sequence_axis_typeinfo, const std::string& name,
                 SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_scatter", {seq, condition},
              {{"new_sequence_axis_typeinfo", new_sequence_axis_typeinfo}}, name);
}

Function slice(const Variable& seq, int64_t begin_index, int64_t end_index, const std::string& name,
               SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_slice", {seq}, {{"begin_index", begin_index}, {"end_index", end_index}}, name);
}

Function softmax(const Variable& seq, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_softmax", {seq}, {}, name);
}

Function unpack(const Variable& x, double padding_value, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_unpack", {x}, {{"padding_value", padding_value}}, name);
}

Function where(const Variable& condition, const std::string& name, SourceLocation where) {
  OriginScope scope(where);
  return call("sequence_where", {condition}, {}, name);
}

}  // namespace sequence

}  // namespace cantik
