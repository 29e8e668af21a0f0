// A learned positive factor that begins as 1 (Ghahremani and Droppo 2016).
#include <cmath>

#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct StabilizerLayer : WithParameters {
  double steepness = 4;
  bool enable_self_stabilization = true;

  static constexpr auto fields() {
    return list(option("steepness", &StabilizerLayer::steepness, "how fast the factor follows its parameter"),
                option("enable_self_stabilization", &StabilizerLayer::enable_self_stabilization,
                       "False makes it the identity")
                    .scoped()
                    .truth());
  }
};

Function make_stabilizer(const StabilizerLayer& o) {
  if (!o.enable_self_stabilization) return identity();
  // softplus(alpha · steepness) / steepness = 1
  double begin = std::log(std::exp(o.steepness) - 1) / o.steepness;
  Variable alpha = parameter(Shape(), begin, o.dtype, "alpha");
  return block("Stabilizer", o.name, [&](const Variable& x) {
    Variable beta = call("softplus", {alpha}, {{"steepness", o.steepness}});
    return Variable(call("element_times", {beta, x}));
  });
}

}  // namespace

CANTIK_LAYERS(stabilizer) {
  layers.add("stabilizer", make_stabilizer)
      .python("Stabilizer", "blocks")
      .doc(
          "Multiplies with a learned positive factor that begins as 1 (Ghahremani and Droppo 2016).\n\n"
          "y = x · softplus(alpha · steepness) / steepness.")
      .returns("a function of one argument with the parameter alpha")
      .example("C.layers.Stabilizer()(C.input_variable(3)).shape");
}

}  // namespace cantik::layers
