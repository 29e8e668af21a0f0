// Greedy decoding and beam search (Lowerre 1976; for neural networks: Graves 2012, Sutskever et al. 2014).
#include <cantik/decode.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

void check_decode_options(const DecodeOptions& o) {
  auto want = [](bool right, const std::string& text) {
    if (!right) throw value_error("decoding: " + text);
  };
  want(o.vocabulary > 0, cat("a vocabulary of ", o.vocabulary, " symbols"));
  want(o.start >= 0 && o.start < o.vocabulary,
       cat("the start symbol ", o.start, " is not one of ", o.vocabulary));
  want(o.end >= 0 && o.end < o.vocabulary, cat("the end symbol ", o.end, " is not one of ", o.vocabulary));
  want(o.max_length >= 0, cat("results of at most ", o.max_length, " symbols"));
  want(o.beam >= 1, cat("a beam of ", o.beam));
  want(o.best >= 1 && o.best <= o.beam, cat(o.best, " results of a beam of ", o.beam));
}

int64_t sequences_of(const Value& v) { return v.layout ? v.layout->sequences() : 1; }

// The type that an argument has for these data.
Variable input_for(const Value& v, const std::string& name) {
  if (!v.layout || !v.data.defined() || v.data.shape().empty())
    throw value_error("decoding: " + (name.empty() ? std::string("a value") : name) + " has no batch axis")
        .remedy("give a value with one row for each sequence");
  Axes axes = v.layout->is_batch() ? Axes::batch() : Axes({Axis::batch(), Axis::unique("decoded")});
  return input(v.data.shape().sub(1, v.data.shape().rank()),
               {.dtype = v.data.dtype(), .sparse = v.data.is_sparse(), .axes = axes, .name = name});
}

// Rows, or whole sequences, of a value, in another order or again.
Value gathered(const Value& v, const std::vector<int64_t>& wanted) {
  const Tensor& from = v.data;
  std::vector<int64_t> lengths;
  int64_t rows = 0;
  for (int64_t i : wanted) lengths.push_back(v.layout->length(i)), rows += lengths.back();
  bool batch = v.layout->is_batch();
  size_t row = from.shape()[0] ? from.bytes() / static_cast<size_t>(from.shape()[0]) : 0;
  Tensor to(from.dtype(), Shape{rows} + from.shape().sub(1, from.shape().rank()));
  char* out = static_cast<char*>(to.raw());
  for (size_t i = 0; i < wanted.size(); ++i) {
    int64_t first = batch ? wanted[i] : v.layout->offsets()[wanted[i]];
    size_t bytes = row * static_cast<size_t>(lengths[i]);
    std::memcpy(out, static_cast<const char*>(from.raw()) + row * static_cast<size_t>(first), bytes);
    out += bytes;
  }
  return {to, batch ? Layout::batch(rows) : Layout::of_lengths(lengths)};
}

Value dense(const Value& v) { return v.data.is_sparse() ? Value(v.data.to_dense(), v.layout) : v; }

// One step of all hypotheses, as a function of data.
class Stepper {
 public:
  Stepper(const Function& step, const std::vector<Value>& states, const DecodeOptions& o,
          const std::vector<Value>& context)
      : states_(states.size()), vocabulary_(o.vocabulary) {
    std::vector<Variable> arguments = step.signature_arguments();
    if (arguments.size() != states.size() + 1 + context.size() || step.outputs().size() != states.size() + 1)
      throw type_error(cat("decoding: a step takes ", states.size(), " states, a symbol and ", context.size(),
                           " of context, and gives scores and the states; this one takes ", arguments.size(),
                           " arguments and gives ", step.outputs().size(), " results"))
          .node(step.text())
          .remedy("step(states..., symbol, context...) -> scores, states...");
    dtype_ = states.empty() ? DType::float32 : states[0].data.dtype();
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::string& name = arguments[i].name();
      if (i == states.size())
        inputs_.push_back(input({vocabulary_}, {.dtype = dtype_, .sparse = true, .name = name}));
      else
        inputs_.push_back(input_for(i < states.size() ? states[i] : context[i - states.size() - 1], name));
    }
    Function applied = step(inputs_);
    outputs_ = applied.outputs();
    outputs_[0] = call("log_softmax", {outputs_[0]});
    if (outputs_[0].shape().elements() != vocabulary_)
      throw shape_error(cat("decoding: there must be one score for each of the ", vocabulary_,
                            " symbols, and the scores have the shape ", outputs_[0].shape().text()))
          .node(step.text())
          .remedy("let the step's first result be a score for each symbol");
    function_ = combine(outputs_);
  }

  // Log-probabilities, then the new states.
  std::vector<Value> operator()(const std::vector<Value>& states, const std::vector<int32_t>& symbols,
                                const std::vector<Value>& context, const RunOptions& run) const {
    int64_t rows = static_cast<int64_t>(symbols.size());
    Feeds feeds;
    for (size_t i = 0; i < states_; ++i) feeds.emplace_back(inputs_[i], states[i]);
    feeds.emplace_back(inputs_[states_],
                       Value(Tensor::one_hot(dtype_, {rows, vocabulary_}, symbols), Layout::batch(rows)));
    for (size_t i = 0; i < context.size(); ++i) feeds.emplace_back(inputs_[states_ + 1 + i], context[i]);
    return function_.eval(feeds, outputs_, run);
  }

 private:
  size_t states_;
  int64_t vocabulary_;
  DType dtype_;
  std::vector<Variable> inputs_, outputs_;
  Function function_;
};

struct LiveHypothesis {
  int64_t sequence;
  std::vector<int64_t> symbols;
  double score;
};

struct Candidate {
  double score;
  size_t parent;
  int64_t symbol;
};

double penalized(double score, size_t length, const DecodeOptions& o) {
  return o.length_penalty == 0
             ? score
             : score / std::pow(static_cast<double>(std::max<size_t>(length, 1)), o.length_penalty);
}

// The best few continuations of one sequence's hypotheses, live[first .. last).
std::vector<Candidate> continuations(const std::vector<LiveHypothesis>& live, size_t first, size_t last,
                                     const Tensor& log_probabilities, const DecodeOptions& o) {
  std::vector<Candidate> all;
  for (size_t i = first; i < last; ++i)
    for (int64_t s = 0; s < o.vocabulary; ++s)
      all.push_back({live[i].score + log_probabilities.at(static_cast<int64_t>(i) * o.vocabulary + s), i, s});
  auto better = [](const Candidate& a, const Candidate& b) {
    return a.score != b.score     ? a.score > b.score
           : a.parent != b.parent ? a.parent < b.parent
                                  : a.symbol < b.symbol;
  };
  size_t wanted = std::min(all.size(), static_cast<size_t>(2 * o.beam));  // as many may end
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(wanted), all.end(), better);
  all.resize(wanted);
  return all;
}

bool by_score(const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; }

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(const layers::Step& step, const std::vector<Value>& given,
                                                 const DecodeOptions& o) {
  check_decode_options(o);
  std::vector<Value> states, context;
  for (const Value& v : given) states.push_back(dense(v));
  for (const Value& v : o.context) context.push_back(dense(v));
  Stepper take_step(step.function(), states, o, context);
  if (states.empty() && context.empty())
    throw value_error("decoding: the number of sequences is unknown without states and context");
  int64_t n = sequences_of(states.empty() ? context[0] : states[0]);
  for (const std::vector<Value>* list : {&states, &context})
    for (const Value& v : *list)
      if (sequences_of(v) != n)
        throw value_error(
            cat("decoding: states and context must be for the same number of sequences, and are for ", n,
                " and ", sequences_of(v)));

  std::vector<std::vector<Hypothesis>> done(static_cast<size_t>(n));
  std::vector<LiveHypothesis> live;
  for (int64_t i = 0; i < n; ++i) live.push_back({i, {}, 0});
  std::vector<int32_t> symbols(static_cast<size_t>(n), static_cast<int32_t>(o.start));
  std::vector<Value> contexts = context;
  while (!live.empty()) {
    std::vector<Value> out = take_step(states, symbols, contexts, o.run);
    std::vector<LiveHypothesis> next;
    std::vector<int64_t> parents, sources;
    symbols.clear();
    for (size_t first = 0, last; first < live.size(); first = last) {
      int64_t sequence = live[first].sequence;
      for (last = first; last < live.size() && live[last].sequence == sequence;) ++last;
      std::vector<Hypothesis>& results = done[sequence];
      std::vector<Candidate> found = continuations(live, first, last, out[0].data, o);
      size_t followed = next.size();
      for (size_t rank = 0; rank < found.size() && next.size() - followed < static_cast<size_t>(o.beam);
           ++rank) {
        const Candidate& c = found[rank];
        const std::vector<int64_t>& before = live[c.parent].symbols;
        if (c.symbol == o.end) {
          if (rank < static_cast<size_t>(o.beam))
            results.push_back({before, penalized(c.score, before.size() + 1, o)});
        } else if (static_cast<int64_t>(before.size()) < o.max_length) {
          next.push_back({sequence, before, c.score});
          next.back().symbols.push_back(c.symbol);
          parents.push_back(static_cast<int64_t>(c.parent));
          sources.push_back(sequence);
          symbols.push_back(static_cast<int32_t>(c.symbol));
        }
      }
      std::stable_sort(results.begin(), results.end(), by_score);
      // what never ends, cut off
      for (size_t i = first;
           i < last && next.size() == followed && results.size() < static_cast<size_t>(o.best); ++i)
        results.push_back({live[i].symbols, penalized(live[i].score, live[i].symbols.size(), o)});
      if (results.size() > static_cast<size_t>(o.best)) results.resize(static_cast<size_t>(o.best));
      // Scores only fall: once the results wanted are better than all that can still come, the sequence is
      // done.
      double most = next.size() > followed
                        ? penalized(next[followed].score,
                                    o.length_penalty > 0 ? static_cast<size_t>(o.max_length) + 1
                                                         : next[followed].symbols.size(),
                                    o)
                        : 0;
      if (results.size() == static_cast<size_t>(o.best) && next.size() > followed &&
          results.back().score >= most) {
        next.resize(followed);
        parents.resize(followed);
        sources.resize(followed);
        symbols.resize(followed);
      }
    }
    live = std::move(next);
    if (live.empty()) break;
    for (size_t i = 0; i < states.size(); ++i) states[i] = gathered(dense(out[i + 1]), parents);
    for (size_t i = 0; i < context.size(); ++i) contexts[i] = gathered(context[i], sources);
  }
  return done;
}

std::vector<std::vector<int64_t>> greedy_search(const layers::Step& step, const std::vector<Value>& states,
                                                const DecodeOptions& options) {
  DecodeOptions greedy = options;
  greedy.beam = greedy.best = 1;
  greedy.length_penalty = 0;
  std::vector<std::vector<int64_t>> list;
  for (std::vector<Hypothesis>& best : beam_search(step, states, greedy))
    list.push_back(best.empty() ? std::vector<int64_t>() : std::move(best[0].symbols));
  return list;
}

}  // namespace cantik
