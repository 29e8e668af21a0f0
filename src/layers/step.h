// Steps carried along sequences: the options of layers that do it, and what they are made with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layers/define.h"

namespace cantik::layers {

struct RecurrentLayer : NamedLayer {
  std::optional<Step> step_function;
  bool go_backwards = false;
  std::vector<InitialState> initial_state = {0};
  bool return_full_state = false;
};

// Their options, each to be put into lists of fields.
namespace of_step {
inline constexpr const char* kStepDoc =
    "step(h, x) -> h, or with several states step(h, c, x) -> h, c: a layer, a Function, or code";
inline constexpr auto step_function =
    option("step_function", &RecurrentLayer::step_function, kStepDoc).required();
inline constexpr auto go_backwards =
    option("go_backwards", &RecurrentLayer::go_backwards, "from the last step to the first").scoped().truth();
inline constexpr auto initial_state =
    option(
        "initial_state", &RecurrentLayer::initial_state,
        "what the states are before the first step: a number, an array, a parameter or constant, or a tuple "
        "with one for each state")
        .scoped();
inline constexpr auto return_full_state =
    option("return_full_state", &RecurrentLayer::return_full_state, "all states; otherwise the first")
        .truth();
}  // namespace of_step

// How many states a step has: its results, one fewer than its arguments. An error names `layer`.
size_t states_of(const Function& step, const char* layer);

// The step at every place of x, from these initial states: the new states.
Function carried(const Function& step, const std::vector<Variable>& initial, const Variable& x,
                 bool go_backwards);

// The states after every step of a sequence: the function without its name.
Function recurred(const RecurrentLayer& o);

// The names that arguments for n states have: h, c, a, b, d, ...
std::vector<std::string> state_names(size_t n);

// All results, or the first alone.
Function chosen(const Function& all, bool full);

}  // namespace cantik::layers
