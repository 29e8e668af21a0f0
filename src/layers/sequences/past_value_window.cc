// The last steps of a sequence as an axis.
#include <cantik/recurrence.h>

#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct PastValueWindowLayer : NamedLayer {
  int64_t window_size = 1, axis = -1;
  bool go_backwards = false;

  static constexpr auto fields() {
    using O = PastValueWindowLayer;
    return list(
        option("window_size", &O::window_size, "how many").required().at_least(1).at_most(1 << 16),
        option("axis", &O::axis,
               "the axis they lie on, counted from the end: -1 joins them along the last axis, -2 makes a "
               "new one in front of it")
            .required(),
        option("go_backwards", &O::go_backwards, "the first steps instead").scoped().truth());
  }
};

Function make_past_value_window(const PastValueWindowLayer& o) {
  const char* end = o.go_backwards ? "sequence_first" : "sequence_last";
  return trace_block(
      {"x"},
      [&](const std::vector<Variable>& in) {
        Variable there = call("sequence_broadcast_as", {constant(Shape(), 1.0), in[0]});
        std::vector<Variable> values, valid;
        auto back = [&](const Variable& x, int64_t t) {
          return Variable(call(end, {delay(o.go_backwards ? -t : t, 0, {}, {})(x)}));
        };
        for (int64_t t = 0; t < o.window_size; ++t) values.push_back(back(in[0], t));
        for (int64_t t = 0; t < o.window_size; ++t) valid.push_back(back(there, t));
        return combine({call("splice", values, {{"axis", o.axis}}, "value"),
                        call("splice", valid, {{"axis", o.axis}}, "valid")});
      },
      "PastValueWindow", o.name);
}

}  // namespace

CANTIK_LAYERS(past_value_window) {
  layers.add("past_value_window", make_past_value_window)
      .python("PastValueWindow", "sequence")
      .doc("The last steps of a sequence, side by side along a static axis, the latest first.")
      .returns(
          "a function of a sequence with two results, one for each sequence: the values, and 1 for each step "
          "that there was, 0 for others")
      .example(
          "value, valid = C.layers.PastValueWindow(3, axis=-2)(C.sequence.input_variable(5))\n"
          "value.shape, valid.shape");
}

}  // namespace cantik::layers
