// y = x · E, where x is one-hot or a number of its row.
#include "base/text.h"
#include "layers/block.h"

namespace cantik::layers {

Function embedding(const Extents& shape, const EmbeddingOptions& o, SourceLocation where) {
  OriginScope scope(where);
  if (!o.weights) check_least(0, shape, "Embedding", "shape");
  if (o.vocabulary < 0)
    throw value_error(cat("Embedding: vocabulary must be at least 1, and is ", o.vocabulary));
  if (o.weights && o.vocabulary > 0 && o.weights->shape()[0] != o.vocabulary)
    throw value_error(cat("Embedding: vocabulary is ", o.vocabulary, ", but weights have ",
                          o.weights->shape()[0], " rows"));
  const int64_t rows = o.vocabulary > 0 ? o.vocabulary : kInferred;
  Variable e =
      o.weights ? constant(*o.weights, "E") : parameter(joined({}, 1, rows, shape), o.init, o.dtype, "E");
  return block("Embedding", o.name, [&](const Variable& x) {
    return Variable(o.vocabulary > 0 ? call("gather", {e, x}) : call("times", {x, e}));
  });
}

}  // namespace cantik::layers
