// A step carried along a sequence.
#pragma once

#include <string>
#include <vector>

#include <cantik/recurrence.h>

namespace cantik::layers {

// How many states a step has: its results, one fewer than its arguments. An error names `layer`.
size_t states_of(const Function& step, const char* layer);

// The step at every place of x, from these initial states: the new states.
Function carried(const Function& step, const std::vector<Variable>& initial, const Variable& x,
                 bool go_backwards);

// The names that arguments for n states have: h, c, a, b, d, ...
std::vector<std::string> state_names(size_t n);

// All results, or the first alone.
Function chosen(const Function& all, bool full);

}  // namespace cantik::layers
