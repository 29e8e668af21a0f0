// The states of a recurrence after its last step.
#include <vector>

#include "layers/block.h"
#include "layers/step.h"

namespace cantik::layers {
namespace {

struct FoldFields {
  static constexpr auto fields() {
    using namespace of_step;
    return list(option("folder_function", &RecurrentLayer::step_function, kStepDoc).required(), go_backwards,
                initial_state, return_full_state);
  }
};

Function make_fold(const RecurrentLayer& o) {
  const Function f = recurred(o);
  return named(trace(
                   {"x"},
                   [&](const std::vector<Variable>& in) {
                     std::vector<Variable> last;
                     for (const Variable& state : f(in).outputs())
                       last.push_back(call(o.go_backwards ? "sequence_first" : "sequence_last", {state}));
                     return combine(last);
                   },
                   "fold"),
               o.name);
}

}  // namespace

CANTIK_LAYERS(fold) {
  layers.add<FoldFields>("fold", make_fold)
      .python("Fold", "sequence")
      .struct_name("RecurrenceOptions")
      .doc("The states of a recurrence after its last step, one value for each sequence.")
      .returns("a function of a sequence, whose result has no sequence axis")
      .example(
          "z = C.layers.Fold(C.layers.GRU(5))(C.sequence.input_variable(3))\n"
          "z.shape, len(z.dynamic_axes)");
}

}  // namespace cantik::layers
