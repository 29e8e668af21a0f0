// An activation function as a layer of its own.
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct ActivationLayer : NamedLayer {
  Activation activation;

  static constexpr auto fields() {
    return list(option("activation", &ActivationLayer::activation, kActivationDoc).scoped().leading());
  }
};

Function make_activation(const ActivationLayer& o) {
  return block("Activation", o.name, [&](const Variable& x) { return o.activation(x); });
}

}  // namespace

CANTIK_LAYERS(activation) {
  layers.add("activation", make_activation)
      .python("Activation")
      .doc("An activation function as a layer.")
      .returns("a function of one argument")
      .example(
          "x = C.input_variable(3)\n"
          "C.layers.Activation(C.relu)(x).eval({x: np.array([[-1, 0, 2]], np.float32)})");
}

}  // namespace cantik::layers
