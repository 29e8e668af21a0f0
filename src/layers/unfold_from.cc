// Sequences that a function makes of a state, each output from the one before.
#include <vector>

#include "base/text.h"
#include "layers/block.h"
#include "layers/recurrence.h"

namespace cantik::layers {
namespace {

// 1 up to the first step for which the predicate holds, 0 behind it.
Variable valid_steps(const Variable& ends) {
  Variable one = constant(Shape(), 1.0), nothing = constant(Shape(), 0.0);
  Step step([&](Variable valid, Variable end) {
    Variable before = call("past_value", {end, nothing});
    return Variable(call("element_times", {call("minus", {one, before}), valid}));
  });
  return recurrence(step, {.initial_state = {1}, .name = "valid_frames"}, {})(ends);
}

}  // namespace

Function unfold_from(const Step& given, const UnfoldOptions& o, SourceLocation where) {
  OriginScope scope(where);
  const Function& generator = given.function();
  if (!(o.length_increase >= 0))
    throw value_error(cat("UnfoldFrom: length_increase must be at least 0, and is ", o.length_increase))
        .remedy("give the number of steps to make for each step of the input");
  size_t results = generator.outputs().size();
  if (generator.signature_arguments().size() != 1 || results > 2)
    throw type_error(cat("UnfoldFrom: a generator takes a state and gives an output, or an output and the "
                         "next state; this one takes ",
                         generator.signature_arguments().size(), " arguments and gives ", results,
                         " results"))
        .node(generator.text())
        .made_at(Origin::current().text())
        .remedy("generator(state) -> output, or generator(state) -> output, state");
  Function f = trace(
      {"initial_state", "dynamic_axes_like"},
      [&](const std::vector<Variable>& in) {
        Variable like = in[1];
        if (o.length_increase != 1)
          like = call("sequence_where",
                      {call("sequence_broadcast_as", {constant(Shape(), o.length_increase), like})});
        Variable state = placeholder("unfold_state");
        Variable previous = call("past_value", {call("reconcile_dynamic_axes", {state, like}), in[0]}, {},
                                 "unfold_prev_state");
        Function made = generator(previous);
        std::vector<Variable> outputs = made.outputs();
        // The state behind the last result closes the loop, seen from the output.
        Function all = combine(outputs);
        all.replace_placeholders({{state, outputs.back()}});
        Variable output = all.outputs()[0];
        if (!o.until_predicate) return combine({output}, "unfold_output");
        Variable valid = valid_steps(o.until_predicate->function()(output));
        return Function(call("sequence_gather", {output, valid}, {}, "valid_output"));
      },
      "unfold_from");
  return named(f, o.name);
}

}  // namespace cantik::layers
