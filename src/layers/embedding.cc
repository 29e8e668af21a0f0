// y = x · E.
#include "layers/block.h"

namespace cantik::layers {

Function embedding(const Extents& shape, const EmbeddingOptions& o, SourceLocation where) {
  OriginScope scope(where);
  if (!o.weights) check_least(0, shape, "Embedding", "shape");
  Variable e = o.weights ? constant(*o.weights, "E")
                         : parameter(joined({}, 1, kInferred, shape), o.init, o.dtype, "E");
  return block("Embedding", o.name, [&](const Variable& x) { return Variable(call("times", {x, e})); });
}

}  // namespace cantik::layers
