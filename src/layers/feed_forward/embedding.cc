// y = x · E, where x is one-hot; y = E[x], where x is the number of a row.
#include "base/text.h"
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

struct EmbeddingLayer : WithParameters {
  std::optional<Extents> shape;
  std::optional<Initializer> init;
  std::optional<Tensor> weights;
  std::optional<int64_t> vocabulary;

  static constexpr auto fields() {
    return list(
        option("shape", &EmbeddingLayer::shape, "of the result").leading(),
        option("init", &EmbeddingLayer::init, "first values of E, where it is learned")
            .scoped()
            .default_call("glorot_uniform()")
            .instead_of("weights"),
        option("weights", &EmbeddingLayer::weights, "a table as an array, where it is not"),
        option(
            "vocabulary", &EmbeddingLayer::vocabulary,
            "how many rows E has, where x are whole numbers, each the number of a row, from 0 on (a number "
            "outside of the table is a ValueError when it is looked up); without it, x is one-hot")
            .keyword()
            .at_least(1));
  }
};

// The table of weights that are given, or learned.
Variable table_of(const EmbeddingLayer& o) {
  const int64_t rows = o.vocabulary.value_or(kInferred);
  if (!o.weights) {
    if (!o.shape) throw value_error("Embedding: output shape must be specified");
    check_least(0, *o.shape, "Embedding", "shape");
    return parameter(joined({}, 1, rows, *o.shape), o.init.value_or(glorot_uniform()), o.dtype, "E");
  }
  const Shape& given = o.weights->shape();
  if (o.init) throw value_error("Embedding: init and weights options are mutually exclusive");
  if (given.rank() != 2)
    throw value_error(cat("Embedding: weights must be a table, not an array of ", given.rank(), " axes"));
  if (o.shape && *o.shape != given.sub(1, 2))
    throw value_error(cat("Embedding: the shape ", o.shape->text(), " is not that of the rows of weights, ",
                          given.sub(1, 2).text()));
  if (o.vocabulary && given[0] != rows)
    throw value_error(cat("Embedding: vocabulary is ", rows, ", but weights have ", given[0], " rows"));
  return constant(*o.weights, "E");
}

Function make_embedding(const EmbeddingLayer& o) {
  const Variable e = table_of(o);
  return block("Embedding", o.name, [&](const Variable& x) {
    return Variable(o.vocabulary ? call("gather", {e, x}) : call("times", {x, e}));
  });
}

}  // namespace

CANTIK_LAYERS(embedding) {
  layers.add("embedding", make_embedding)
      .python("Embedding")
      .doc("y = x · E: a dense row for each one-hot one; with a vocabulary y = E[x], for integers.")
      .returns(
          "a function of one argument with the parameter (or constant) E : [input, shape...]; with a "
          "vocabulary, E : [vocabulary, shape...], and an argument of the shape s gives s + shape")
      .raises(
          "ValueError: where there is neither a shape nor weights, or the two, or the vocabulary, disagree")
      .example(
          "f = C.layers.Embedding(3)\n"
          "f(C.input_variable(10)).shape, f.E.shape\n"
          "words = C.layers.Embedding(3, vocabulary=10)\n"
          "words(C.sequence.input_variable(())).shape, words(C.input_variable(20)).shape");
}

}  // namespace cantik::layers
