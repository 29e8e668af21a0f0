// Noise that forgets: in training each element is 0 with the given probability.
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct DropoutLayer : NamedLayer {
  std::optional<double> dropout_rate, keep_prob;
  uint64_t seed = kAutoSeed;

  static constexpr auto fields() {
    return list(
        option("dropout_rate", &DropoutLayer::dropout_rate, "the probability of 0").leading(),
        option("keep_prob", &DropoutLayer::keep_prob,
               "the probability that an element stays; one of the two must be given")
            .above(0)
            .at_most(1)
            .refusal(ErrorKind::value, "Dropout: keep_prob must be in the interval (0,1]"),
        option("seed", &DropoutLayer::seed, "of the random numbers; by default the process' next one"));
  }
};

Function make_dropout(const DropoutLayer& o) {
  if (!o.dropout_rate && !o.keep_prob)
    throw value_error("Dropout: either dropout_rate or keep_prob must be specified.");
  if (o.dropout_rate && o.keep_prob)
    throw value_error("Dropout: dropout_rate and keep_prob cannot be specified at the same time.");
  const double rate = o.dropout_rate ? *o.dropout_rate : 1 - *o.keep_prob;
  return block("Dropout", o.name, [&](const Variable& x) {
    return Variable(call("dropout", {x}, {{"dropout_rate", rate}, {"seed", static_cast<int64_t>(o.seed)}}));
  });
}

}  // namespace

CANTIK_LAYERS(dropout) {
  layers.add("dropout", make_dropout)
      .python("Dropout")
      .doc("In training each element is 0 with a probability; the others are scaled so that the mean stays.")
      .returns("a function of one argument")
      .example("C.layers.Dropout(0.5)(C.input_variable(2)).eval(np.array([[3, 4]]))");
}

}  // namespace cantik::layers
