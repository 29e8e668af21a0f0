// y = activation(x · W + b).
#include "layers/block.h"

namespace cantik::layers {

Function dense(const Extents& shape, const DenseOptions& o, SourceLocation where) {
  OriginScope scope(where);
  if (o.input_rank && o.map_rank)
    throw value_error("Dense: input_rank and map_rank cannot be specified at the same time.");
  check_least(0, shape, "Dense", "shape");
  if (o.input_rank) check_least(0, Shape{*o.input_rank}, "Dense", "input_rank");
  if (o.map_rank) check_least(0, Shape{*o.map_rank}, "Dense", "map_rank");
  // Without input_rank the inner axes are all that the input will have, but for the first map_rank.
  int64_t map = o.input_rank ? -1 : o.map_rank.value_or(0);
  Shape weights = joined({}, o.input_rank.value_or(1), kInferred, shape);
  Variable w = parameter(weights, o.init.with_ranks(shape.rank()), o.dtype, "W"), b;
  if (o.bias) b = parameter(shape, o.init_bias, o.dtype, "b");
  return block("Dense", o.name, [&](const Variable& x) {
    Variable y = call("times", {x, w}, {{"output_rank", shape.rank()}, {"infer_input_rank_to_map", map}});
    if (o.bias) y = call("plus", {y, b});
    return o.activation(y);
  });
}

}  // namespace cantik::layers
