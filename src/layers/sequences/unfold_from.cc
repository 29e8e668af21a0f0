// Sequences that a function makes of a state, each output from the one before.
#include <vector>

#include <cantik/recurrence.h>

#include "base/text.h"
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct UnfoldFromLayer : NamedLayer {
  std::optional<Step> generator_function, until_predicate;
  double length_increase = 1;

  static constexpr auto fields() {
    using O = UnfoldFromLayer;
    return list(
        option("generator_function", &O::generator_function,
               "generator(state) -> output, which is the next state too, or generator(state) -> output, "
               "state")
            .required(),
        option("until_predicate", &O::until_predicate,
               "a function of an output that is 1 where the sequence ends with it; by default it is as "
               "long as it may be"),
        option("length_increase", &O::length_increase,
               "how long it may be, as a factor of the length of the sequence it is made for")
            .at_least(0));
  }
};

// 1 up to the first step for which the predicate holds, 0 behind it.
Variable valid_steps(const Variable& ends) {
  Variable one = constant(Shape(), 1.0), nothing = constant(Shape(), 0.0);
  Step step([&](Variable valid, Variable end) {
    Variable before = call("past_value", {end, nothing});
    return Variable(call("element_times", {call("minus", {one, before}), valid}));
  });
  return recurrence(step, {.initial_state = {1}, .name = "valid_frames"}, {})(ends);
}

Function make_unfold_from(const UnfoldFromLayer& o) {
  const Function& generator = o.generator_function->function();
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

}  // namespace

CANTIK_LAYERS(unfold_from) {
  layers.add("unfold_from", make_unfold_from)
      .python("UnfoldFrom", "sequence")
      .doc("A sequence that a function makes of a state, each output from the state before.")
      .returns(
          "a function of an initial state and of a sequence, whose length (times length_increase) bounds "
          "that of "
          "the result")
      .example(
          "start, like = C.input_variable(1, name='start'), C.sequence.input_variable(1, name='like')\n"
          "C.layers.UnfoldFrom(lambda s: s * 2)(start, like).shape");
}

}  // namespace cantik::layers
