// The value some steps before or behind.
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct DelayLayer : NamedLayer {
  int64_t T = 1;
  InitialState initial_state = 0;

  static constexpr auto fields() {
    return list(
        option("T", &DelayLayer::T, "how many steps back; negative: ahead; 0: x itself").leading(),
        option("initial_state", &DelayLayer::initial_state, "a number, an array, a parameter or constant")
            .scoped());
  }
};

Function make_delay(const DelayLayer& o) {
  return block("Delay", o.name, [&](const Variable& x) -> Variable {
    if (o.T == 0) return x;
    return call(o.T > 0 ? "past_value" : "future_value", {x, o.initial_state},
                {{"time_step", o.T > 0 ? o.T : -o.T}});
  });
}

}  // namespace

CANTIK_LAYERS(delay) {
  layers.add("delay", make_delay)
      .python("Delay", "sequence")
      .doc(
          "The value T steps before.\n\n"
          "y[t] = x[t - T], at the beginning of a sequence (with a negative T: at its end) the initial "
          "state.")
      .returns("a function of one argument, a sequence")
      .example("C.layers.Delay(1)(C.sequence.input_variable(2)).shape");
}

}  // namespace cantik::layers
