// y = (x - mean) / (deviation + epsilon) · scale + bias, over the elements of each sample (Ba et al. 2016).
#include "layers/block.h"

namespace cantik::layers {

Function layer_normalization(const LayerNormalizationOptions& o, SourceLocation where) {
  OriginScope scope(where);
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

}  // namespace cantik::layers
