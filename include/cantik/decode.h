// Decoding: sequences of symbols that a step function makes, each symbol from the one before and the states.
//
//   layers::Step step = [&](Variable h, Variable symbol) {
//     h = cell(h, embed(symbol));
//     return std::pair(scores(h), h);
//   };
//   DecodeOptions options{.vocabulary = 40, .start = 0, .end = 1, .beam = 4};
//   auto best = beam_search(step, {Value::batch(states)}, options);
#pragma once

#include <cstdint>
#include <vector>

#include <cantik/layers/step.h>
#include <cantik/value.h>

namespace cantik {

// What a search looks for, and how far.
struct DecodeOptions {
  int64_t vocabulary = 0;    // how many symbols there are
  int64_t start = 0;         // the symbol before the first one
  int64_t end = 0;           // the symbol behind the last one
  int64_t max_length = 100;  // of a result, without `end`
  int64_t beam = 1;          // how many hypotheses are followed for each sequence; 1: greedy
  int64_t best = 1;          // how many results are wanted for each sequence, at most `beam`
  // a score is divided by length to this power: above 0 longer results are preferred
  double length_penalty = 0;
  // what stays the same in all steps: for each sequence a row, or a sequence
  std::vector<Value> context = {};
  RunOptions run = {};  // of each step
};

// One result of a search, with its score.
struct Hypothesis {
  std::vector<int64_t> symbols;  // between start and end
  // sum of the symbols' log-probabilities, that of the end too, over length^length_penalty
  double score = 0;
};

// For each sequence its best results, the best first.
//
// step(states..., symbol, context...) -> scores, states...: `symbol` is one-hot, the softmax of `scores` are
// the probabilities of the next one. `states`: a row for each sequence. All hypotheses of all sequences take
// a step together. Of equal scores the smaller symbol comes first.
CANTIK_API std::vector<std::vector<Hypothesis>> beam_search(const layers::Step& step,
                                                            const std::vector<Value>& states,
                                                            const DecodeOptions& options);

// The most probable symbol at every step.
CANTIK_API std::vector<std::vector<int64_t>> greedy_search(const layers::Step& step,
                                                           const std::vector<Value>& states,
                                                           const DecodeOptions& options);

}  // namespace cantik
