// y = (x - mean) / (deviation + epsilon) · scale + bias, over the elements of each sample (Ba et al. 2016).
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct LayerNormalizationLayer : WithParameters {
  Initializer initial_scale = 1.0, initial_bias = 0.0;
  double epsilon = 1e-5;

  static constexpr auto fields() {
    using O = LayerNormalizationLayer;
    return list(option("initial_scale", &O::initial_scale, "first values of the scale"),
                option("initial_bias", &O::initial_bias, "first values of the bias"),
                option("epsilon", &O::epsilon, "added to the deviation").scoped());
  }
};

Function make_layer_normalization(const LayerNormalizationLayer& o) {
  Variable scale = parameter(Shape{kInferred}, o.initial_scale, o.dtype, "scale"),
           bias = parameter(Shape{kInferred}, o.initial_bias, o.dtype, "bias");
  return block("LayerNormalization", o.name, [&](const Variable& x) {
    auto mean = [](const Variable& v) { return Variable(call("reduce_mean", {v})); };
    Variable centred = call("minus", {x, mean(x)});
    Variable deviation = call("sqrt", {mean(call("element_times", {centred, centred}))});
    Variable floor = constant(Shape(), o.epsilon, o.dtype);
    Variable normal = call("element_divide", {centred, call("plus", {deviation, floor})});
    return Variable(call("plus", {call("element_times", {normal, scale}), bias}));
  });
}

}  // namespace

CANTIK_LAYERS(layer_normalization) {
  layers.add("layer_normalization", make_layer_normalization)
      .python("LayerNormalization")
      .doc(
          "Each sample with mean 0 and deviation 1, then scaled and shifted (Ba et al. 2016).\n\n"
          "y = (x - mean) / (deviation + epsilon) · scale + bias, over the elements of each sample.")
      .returns("a function of one argument with the parameters scale and bias")
      .example(
          "x = C.input_variable(2)\n"
          "C.layers.LayerNormalization()(x).eval({x: np.array([[1, 3]], np.float32)}).round(3)");
}

}  // namespace cantik::layers
