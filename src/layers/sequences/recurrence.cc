// Recurrences: a step applied to each element of a sequence and to the states that it gave before.
#include <string>
#include <vector>

#include "layers/block.h"
#include "layers/step.h"

namespace cantik::layers {
namespace {

struct RecurrenceFields {
  static constexpr auto fields() {
    using namespace of_step;
    return list(step_function, go_backwards, initial_state, return_full_state);
  }
};
struct FieldsFrom {
  static constexpr auto fields() {
    using namespace of_step;
    return list(step_function, go_backwards, return_full_state);
  }
};

Function recurrence(const RecurrentLayer& o) { return named(recurred(o), o.name); }

Function recurrence_from(const RecurrentLayer& o) {
  const Function& step = o.step_function->function();
  std::vector<std::string> arguments = state_names(states_of(step, "RecurrenceFrom"));
  arguments.push_back("x");
  Function f = trace(
      arguments,
      [&](std::vector<Variable> in) {
        Variable x = in.back();
        in.pop_back();
        return chosen(carried(step, in, x, o.go_backwards), o.return_full_state);
      },
      "recurrence_from");
  return named(f, o.name);
}

}  // namespace

CANTIK_LAYERS(recurrence) {
  layers.add<RecurrenceFields>("recurrence", recurrence)
      .python("Recurrence", "sequence")
      .doc("Applies a step along a sequence: h[t] = step(h[t - 1], x[t]).")
      .returns("a function of a sequence, whose result is a sequence of the same lengths")
      .example(
          "x = C.sequence.input_variable(3, name='x')\n"
          "C.layers.Recurrence(C.layers.LSTM(5))(x).shape\n"
          "C.layers.Recurrence(lambda h, x: 0.5 * h + x)(x).shape");
  layers.add<FieldsFrom>("recurrence_from", recurrence_from)
      .python("RecurrenceFrom", "sequence")
      .doc("A recurrence whose initial states are arguments.")
      .returns(
          "a function of the initial states and a sequence. An initial state has a value for each sequence, "
          "or is a sequence, whose last step (going backwards: whose first step) counts")
      .example(
          "start, x = C.input_variable(4, name='start'), C.sequence.input_variable(3, name='x')\n"
          "C.layers.RecurrenceFrom(C.layers.GRU(4))(start, x).shape");
}

}  // namespace cantik::layers
