// ONNX's recurrences over the steps of sequences: LSTM, GRU and RNN as delays, products and gates.
#pragma once

#include <string_view>
#include <string>
#include <vector>

#include "onnx/model.h"
#include "onnx/values.h"

namespace cantik::onnx {

// Delays of a graph that is being made: each reads a placeholder, which a value takes the place of.
using Closings = std::vector<std::pair<Variable, Variable>>;

// A state along the steps of `like`, which begins as `initial` (null: 0). `next` will be what the delay
// holds.
struct State {
  Variable place, delayed;
};
State make_state(const Variable& like, const Variable& initial, const Shape& shape, bool ahead);

bool is_recurrence(std::string_view op);
// The results of such a node, -1 where one is not made.
std::vector<int> read_recurrence(Values& values, const NodeRecord& node, const std::vector<int>& in,
                                 Closings& closings);

}  // namespace cantik::onnx
