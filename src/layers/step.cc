#include "layers/step.h"

#include <string>

#include "base/text.h"
#include "layers/block.h"

namespace cantik::layers {

Step::Step(int arguments, const Body& body) {
  if (arguments == 1) {
    function_ = trace({"x"}, body, "step");
    return;
  }
  std::vector<std::string> names = state_names(static_cast<size_t>(arguments) - 1);
  names.push_back("x");
  function_ = trace(names, body, "step");
}

std::vector<std::string> state_names(size_t n) {
  std::vector<std::string> names{"h", "c", "a", "b"};
  for (char next = 'd'; names.size() < n; ++next)
    names.push_back(next <= 'w' ? std::string(1, next) : cat("state", names.size()));
  names.resize(n);
  return names;
}

size_t states_of(const Function& step, const char* layer) {
  size_t arguments = step.signature_arguments().size(), results = step.outputs().size();
  if (arguments != results + 1)
    throw type_error(cat(layer,
                         ": a step takes its states and the input, and gives the new states; this one takes ",
                         arguments, " arguments and gives ", results, " results"))
        .node(step.text())
        .made_at(Origin::current().text())
        .remedy("step(h, x) -> h, or step(h, c, x) -> h, c");
  return results;
}

Function carried(const Function& step, const std::vector<Variable>& initial, const Variable& x,
                 bool go_backwards) {
  std::vector<Variable> places, arguments;
  for (const Variable& state : initial) {
    places.push_back(placeholder());
    arguments.push_back(call(go_backwards ? "future_value" : "past_value", {places.back(), state}));
  }
  arguments.push_back(x);
  Function stepped = step(arguments);
  std::vector<Variable> results = stepped.outputs();
  Replacements loops;
  for (size_t i = 0; i < places.size(); ++i) loops.emplace(places[i], results[i]);
  return stepped.replace_placeholders(loops);
}

Function chosen(const Function& all, bool full) { return full ? all : combine({all.outputs()[0]}); }

Function recurred(const RecurrentLayer& o) {
  const Function& step = o.step_function->function();
  const size_t states = states_of(step, "Recurrence");
  std::vector<Variable> initial(o.initial_state.begin(), o.initial_state.end());
  if (initial.size() == 1) initial.resize(states, initial[0]);
  if (initial.size() != states)
    throw type_error(cat("Recurrence: the step has ", states, states == 1 ? " state" : " states", ", but ",
                         initial.size(), " initial states were given"))
        .node(step.text())
        .made_at(Origin::current().text())
        .remedy("give one initial state for each state, or one for all");
  return trace(
      {"x"},
      [&](const std::vector<Variable>& in) {
        return chosen(carried(step, initial, in[0], o.go_backwards), o.return_full_state);
      },
      "recurrence");
}

}  // namespace cantik::layers
