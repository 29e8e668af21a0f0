// Recurrent layers on top of one another whose weights lie in one parameter, as cuDNN has them: for each
// layer and direction the matrices [state, input] of all gates, then those [state, state]; behind them all,
// for each layer and direction, two biases a gate.
//
//   lstm: i, f, g, o;  c' = f c + i g, h' = o tanh c'
//   gru:  r, z, n = tanh(W x + b + r (R h + b'));  h' = (1 - z) n + z h
//   rnnTanh, rnnReLU:  h' = f(W x + R h + b + b')
#include <string>
#include <vector>

#include <cantik/op.h>
using namespace cantik;

namespace {

constexpr int64_t kMostLayers = 1'000;  // each becomes functions of the graph

struct Stack {
  int64_t hidden_size = 1, num_layers = 1;
  bool bidirectional = false;
  std::string recurrent_op = "lstm";
  static constexpr auto fields() {
    return list(field("hidden_size", &Stack::hidden_size, "numbers in a state, of each direction; at least 1")
                    .key("hiddenSize"),
                field("num_layers", &Stack::num_layers, "how many layers; at least 1 and at most 1000")
                    .key("numLayers"),
                field("bidirectional", &Stack::bidirectional,
                      "whether each layer runs from both ends, its results side by side")
                    .key("bidirectional"),
                field("recurrent_op", &Stack::recurrent_op, "'lstm', 'gru', 'rnnTanh' or 'rnnReLU'")
                    .key("recurrentOp"));
  }

  int64_t directions() const { return bidirectional ? 2 : 1; }
  int64_t gates() const {
    if (recurrent_op == "lstm") return 4;
    if (recurrent_op == "gru") return 3;
    if (recurrent_op == "rnnTanh" || recurrent_op == "rnnReLU") return 1;
    throw value_failure("there is no recurrent_op '" + recurrent_op + "'",
                        "use 'lstm', 'gru', 'rnnTanh' or 'rnnReLU'");
  }
  void check() const {
    gates();
    if (hidden_size < 1)
      throw value_failure("hidden_size must be at least 1, and is " + std::to_string(hidden_size));
    if (num_layers < 1 || num_layers > kMostLayers)
      throw value_failure("num_layers must be at least 1 and at most " + std::to_string(kMostLayers) +
                          ", and is " + std::to_string(num_layers));
  }
  int64_t input_of(int64_t layer, int64_t features) const {
    return layer == 0 ? features : hidden_size * directions();
  }
  // How many weights there are.
  int64_t total(int64_t features) const {
    int64_t sum = 0;
    bool fits = true;
    for (int64_t layer = 0; layer < num_layers && fits; ++layer) {
      int64_t columns = 0, rows = 0, more = 0;
      fits = !__builtin_add_overflow(input_of(layer, features), hidden_size + 2, &columns) &&
             !__builtin_mul_overflow(directions() * gates(), hidden_size, &rows) &&
             !__builtin_mul_overflow(rows, columns, &more) && !__builtin_add_overflow(sum, more, &sum);
    }
    if (!fits) throw value_failure("a stack of these sizes has more weights than can be counted");
    return sum;
  }
};

// The weights, all in a row. A number of rows that is to be inferred is that of the stack.
Term in_a_row(Builder& b, const Stack& a, int64_t total) {
  Term weights = b.x(1);
  const Shape given = weights.shape();
  if (given.rank() == 2 && given[0] == kInferred && given[1] > 0) {
    if (total % given[1] != 0)
      throw shape_failure("the weights have " + std::to_string(total) +
                              " numbers, which do not make rows of " + std::to_string(given[1]),
                          "give the weights the shape [?, " + std::to_string(a.hidden_size) + "]");
    // a product says how many rows there are
    b.call("times", {b.constant(0, weights, Shape{total / given[1]}), weights});
  }
  const Shape shape = weights.shape();
  if (!shape.is_static() || shape.elements() != total)
    throw shape_failure("the weights have the shape " + shape.text() + "; a stack of these sizes has " +
                            std::to_string(total) + " of them",
                        "give them the shape [" + std::to_string(total / a.hidden_size) + ", " +
                            std::to_string(a.hidden_size) + "], or [?, " + std::to_string(a.hidden_size) +
                            "]");
  return b.call("reshape", {weights}, {{"shape", Shape{total}}});
}

Term section(Builder& b, Term x, int64_t from, int64_t size) {
  return b.call("slice", {x}, {{"axis", -1}, {"begin_index", from}, {"end_index", from + size}});
}

// Parts of the weights, one behind the other.
class Weights {
 public:
  explicit Weights(Term all) : all_(all) {}
  Term next(const Shape& shape) {
    Builder& b = all_.builder();
    Term taken = section(b, all_, at_, shape.elements());
    at_ += shape.elements();
    return shape.rank() == 1 ? taken : b.call("reshape", {taken}, {{"shape", shape}});
  }

 private:
  Term all_;
  int64_t at_ = 0;
};

// One layer in one direction: a block of its own, whose loops are closed without a look at the other layers.
struct OneLayer {
  std::string recurrent_op = "lstm";
  bool backwards = false;
  static constexpr auto fields() {
    return list(field("recurrent_op", &OneLayer::recurrent_op, "'lstm', 'gru', 'rnnTanh' or 'rnnReLU'"),
                field("backwards", &OneLayer::backwards, "whether it begins with the last step"));
  }
};

constexpr auto one_layer = [](Builder& b, const OneLayer& a) {
  const Term x = b.x(0), w = b.x(1), r = b.x(2);
  const int64_t n = r.shape().back();
  auto gate = [&](Term all, int64_t i) { return section(b, all, i * n, n); };
  auto apply = [&](const char* f, Term v) { return b.call(f, {v}); };
  auto before = [&](Term state) {
    return b.call(a.backwards ? "future_value" : "past_value", {state, b.constant(0, w)});
  };
  Term h = b.later(), last = before(h), next;
  // the parts of all gates that come from the input, and those that come from the state
  const Term in = b.call("times_transpose", {x, w}) + b.x(3),
             of_last = b.call("times_transpose", {last, r}) + b.x(4);
  if (a.recurrent_op == "lstm") {
    Term c = b.later(), all = in + of_last;
    Term cell = apply("sigmoid", gate(all, 1)) * before(c) +
                apply("sigmoid", gate(all, 0)) * apply("tanh", gate(all, 2));
    next = apply("sigmoid", gate(all, 3)) * apply("tanh", cell);
    b.close(c, cell);
  } else if (a.recurrent_op == "gru") {
    Term reset = apply("sigmoid", gate(in, 0) + gate(of_last, 0)),
         z = apply("sigmoid", gate(in, 1) + gate(of_last, 1)),
         candidate = apply("tanh", gate(in, 2) + reset * gate(of_last, 2));
    next = candidate + z * (last - candidate);
  } else {
    next = apply(a.recurrent_op == "rnnTanh" ? "tanh" : "relu", in + of_last);
  }
  b.close(h, next);
  b.result(next);
};

struct Layer {
  Term w, r, b, b_state;
};

constexpr auto stacked = [](Builder& b, const Stack& a) {
  a.check();
  Term x = b.x(0);
  const Shape shape = x.shape();
  if (shape.rank() != 1 || !shape.is_static() ||
      !(x.type().has_sequence() || x.type().axes == CANTIK_AXES_UNKNOWN))
    throw value_failure(
        "the operand of a stack of recurrences must be a sequence of vectors, and has the "
        "shape " +
            shape.text(),
        "give a sequence.input_variable with one axis");
  Weights weights(in_a_row(b, a, a.total(shape[0])));
  const int64_t rows = a.gates() * a.hidden_size;
  std::vector<Layer> layers;
  for (int64_t layer = 0; layer < a.num_layers; ++layer)
    for (int64_t d = 0; d < a.directions(); ++d) {
      Term w = weights.next({rows, a.input_of(layer, shape[0])}), r = weights.next({rows, a.hidden_size});
      layers.push_back({w, r, {}, {}});
    }
  for (Layer& l : layers) l.b = weights.next({rows}), l.b_state = weights.next({rows});
  auto states = [&](const Layer& l, bool backwards) {
    return b.call("rnn_layer", {x, l.w, l.r, l.b, l.b_state},
                  {{"recurrent_op", a.recurrent_op.c_str()}, {"backwards", backwards}});
  };
  for (size_t i = 0; i < layers.size(); i += static_cast<size_t>(a.directions())) {
    Term ahead = states(layers[i], false);
    x = a.bidirectional ? b.call("splice", {ahead, states(layers[i + 1], true)}, {{"axis", -1}}) : ahead;
  }
  b.result(x);
};

}  // namespace

CANTIK_OP(optimized_rnnstack) {
  op.attributes<Stack>(
        "optimized_rnnstack(operand, weights, hidden_size, num_layers, bidirectional=False, "
        "recurrent_op='lstm', name='')")
      .doc(
          "Recurrent layers on top of one another, whose weights lie in one parameter as cuDNN has them.\n\n"
          "For each layer and direction the matrices [state, input] of all gates, then those [state, state]; "
          "behind them all, for each layer and direction, two biases a gate. Gates: lstm i, f, g, o; gru r, "
          "z, n. Weights of the shape (InferredDimension, n) get their rows from the operand.")
      .composite(stacked)
      .cntk("OptimizedRNNStack", 49)
      .cntk_block("OptimizedRNNStack")
      .named("test.lengths", "3,1,5")
      .sample({{2}, {7, 3}}, {.hidden_size = 3, .recurrent_op = "rnnTanh"});

  op.attributes<OneLayer>("rnn_layer(x, w, r, b, b_state, recurrent_op='lstm', backwards=False)")
      .traits(CANTIK_HIDDEN)
      .composite(one_layer);
}
