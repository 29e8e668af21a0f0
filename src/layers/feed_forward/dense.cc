// y = activation(x · W + b).
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

constexpr int64_t kMostAxes = 64;  // no value has as many

struct DenseLayer : WithParameters {
  Extents shape;
  Activation activation;
  Initializer init = glorot_uniform(), init_bias = 0.0;
  std::optional<int64_t> input_rank, map_rank;
  bool bias = true;

  static constexpr auto fields() {
    return list(option("shape", &DenseLayer::shape, "of the result").required(),
                option("activation", &DenseLayer::activation, kActivationDoc).scoped(),
                option("init", &DenseLayer::init, "first values of W").scoped(),
                option("input_rank", &DenseLayer::input_rank,
                       "how many of the input's last axes are summed over; all by default")
                    .at_least(0)
                    .at_most(kMostAxes),
                option("map_rank", &DenseLayer::map_rank,
                       "how many of its first axes stay; only one of the two can be given")
                    .at_least(0)
                    .at_most(kMostAxes),
                option("bias", &DenseLayer::bias, "whether there is a b").scoped().truth(),
                option("init_bias", &DenseLayer::init_bias, "first values of b").scoped());
  }
};

Function make_dense(const DenseLayer& o) {
  if (o.input_rank && o.map_rank)
    throw value_error("Dense: input_rank and map_rank cannot be specified at the same time.");
  check_least(0, o.shape, "Dense", "shape");
  // Without input_rank the inner axes are all that the input will have, but for the first map_rank.
  const int64_t map = o.input_rank ? -1 : o.map_rank.value_or(0);
  const Shape weights = joined({}, static_cast<int>(o.input_rank.value_or(1)), kInferred, o.shape);
  Variable w = parameter(weights, o.init.with_ranks(o.shape.rank()), o.dtype, "W"), b;
  if (o.bias) b = parameter(o.shape, o.init_bias, o.dtype, "b");
  return block("Dense", o.name, [&](const Variable& x) {
    Variable y = call("times", {x, w}, {{"output_rank", o.shape.rank()}, {"infer_input_rank_to_map", map}});
    if (o.bias) y = call("plus", {y, b});
    return o.activation(y);
  });
}

}  // namespace

CANTIK_LAYERS(dense) {
  layers.add("dense", make_dense)
      .python("Dense")
      .doc("y = activation(x · W + b).")
      .returns("a function of one argument with the parameters W : [input..., shape...] and b : [shape...]")
      .example(
          "f = C.layers.Dense(5, activation=C.relu)\n"
          "f(C.input_variable(3)).shape, f.W.shape, f.b.shape");
}

}  // namespace cantik::layers
