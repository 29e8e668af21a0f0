// Recurrent layers on top of one another whose weights lie in one parameter, as cuDNN has them: for each
// layer and direction the matrices [state, input] of all gates, then those [state, state]; behind them all,
// for each layer and direction, two biases a gate.
//
//   lstm: i, f, g, o;  c' = f c + i g, h' = o tanh c'
//   gru:  r, z, n = tanh(W x + b + r (R h + b'));  h' = (1 - z) n + z h
//   rnnTanh, rnnReLU:  h' = f(W x + R h + b + b')
#include <string>
#include <vector>

#include <cantik/ops.h>

#include <cantik/recurrence.h>

#include "base/text.h"
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {
namespace {

constexpr int64_t kMostLayers = 10'000;  // each becomes functions of the graph

struct RnnStackLayer {
  Variable operand, weights;
  int64_t hidden_size = 1, num_layers = 1;
  bool bidirectional = false;
  std::string recurrent_op = "lstm", name;

  static constexpr auto fields() {
    return list(
        option("operand", &RnnStackLayer::operand, "a sequence of vectors").required(),
        option(
            "weights", &RnnStackLayer::weights,
            "of as many numbers as that makes; with the shape (InferredDimension, n) the first axis is found")
            .required(),
        option("hidden_size", &RnnStackLayer::hidden_size, "numbers in a state, of each direction")
            .required()
            .at_least(1),
        option("num_layers", &RnnStackLayer::num_layers, "how many layers")
            .required()
            .at_least(1)
            .at_most(kMostLayers),
        option("bidirectional", &RnnStackLayer::bidirectional,
               "whether each layer runs from both ends, its results side by side"),
        option("recurrent_op", &RnnStackLayer::recurrent_op, "'lstm', 'gru', 'rnnTanh' or 'rnnReLU'"),
        option("name", &RnnStackLayer::name, "of the function"));
  }
};

int64_t gates_of(const std::string& op) {
  if (op == "lstm") return 4;
  if (op == "gru") return 3;
  if (op == "rnnTanh" || op == "rnnReLU") return 1;
  throw value_error("there is no recurrent_op '" + op + "'")
      .remedy("use 'lstm', 'gru', 'rnnTanh' or 'rnnReLU'");
}

// Parts of the parameter, one behind the other.
class Weights {
 public:
  explicit Weights(const Variable& all)
      : all_(call("reshape", {all}, {{"shape", Shape{all.shape().elements()}}})) {}
  Variable next(const Shape& shape) {
    Variable part =
        call("slice", {all_}, {{"axis", 0}, {"begin_index", at_}, {"end_index", at_ + shape.elements()}});
    at_ += shape.elements();
    return shape.rank() == 1 ? part : Variable(call("reshape", {part}, {{"shape", shape}}));
  }

 private:
  Variable all_;
  int64_t at_ = 0;
};

struct Direction {
  Variable w, r, b, b_state;
};

Function step_of(const std::string& op, int64_t n, const Direction& d, const Variable& x, bool backwards) {
  auto gate = [n](const Variable& v, int64_t i) {
    return Variable(call("slice", {v}, {{"axis", -1}, {"begin_index", i * n}, {"end_index", i * n + n}}));
  };
  auto apply = [](const char* f, const Variable& v) { return Variable(call(f, {v})); };
  auto of_input = [&](const Variable& input) {
    return Variable(call("plus", {call("times_transpose", {input, d.w}), d.b}));
  };
  auto of_state = [&](const Variable& state) {
    return Variable(call("plus", {call("times_transpose", {state, d.r}), d.b_state}));
  };
  const RecurrenceOptions options{.go_backwards = backwards,
                                  .initial_state = {constant(Shape(), 0.0, d.w.dtype())}};
  if (op == "lstm")
    return recurrence(
        [=](Variable h, Variable c, Variable input) {
          Variable all = call("plus", {of_input(input), of_state(h)});
          Variable next = apply("sigmoid", gate(all, 1)) * c +
                          apply("sigmoid", gate(all, 0)) * apply("tanh", gate(all, 2));
          return std::pair(Variable(apply("sigmoid", gate(all, 3)) * apply("tanh", next)), next);
        },
        options)(x);
  if (op == "gru")
    return recurrence(
        [=](Variable h, Variable input) {
          Variable a = of_input(input), b = of_state(h), r = apply("sigmoid", gate(a, 0) + gate(b, 0)),
                   z = apply("sigmoid", gate(a, 1) + gate(b, 1)),
                   candidate = apply("tanh", gate(a, 2) + r * gate(b, 2));
          return Variable(candidate + z * (h - candidate));
        },
        options)(x);
  return recurrence(
      [=](Variable h, Variable input) {
        return apply(op == "rnnTanh" ? "tanh" : "relu", call("plus", {of_input(input), of_state(h)}));
      },
      options)(x);
}

Function make_optimized_rnnstack(const RnnStackLayer& o) {
  const Variable &operand = o.operand, &weights = o.weights;
  const int64_t hidden_size = o.hidden_size, num_layers = o.num_layers;
  const int64_t gates = gates_of(o.recurrent_op), directions = o.bidirectional ? 2 : 1;
  if (operand.shape().rank() != 1 || !operand.shape().is_static() || !operand.axes().has_sequence())
    throw value_error(
        "the operand of a stack of recurrences must be a sequence of vectors, and has the shape " +
        operand.shape().text())
        .node(operand.text())
        .remedy("give a sequence.input_variable with one axis");
  int64_t total = 0;
  auto input_of = [&](int64_t layer) { return layer == 0 ? operand.shape()[0] : hidden_size * directions; };
  for (int64_t layer = 0; layer < num_layers; ++layer)
    total += directions * gates * hidden_size * (input_of(layer) + hidden_size + 2);
  if (const Shape& given = weights.shape(); given.rank() == 2 && given[0] == kInferred && given[1] > 0) {
    if (total % given[1] != 0)
      throw shape_error(cat("the weights have ", total, " numbers, which do not make rows of ", given[1]))
          .remedy(cat("give the weights the shape [?, ", hidden_size, "]"));
    // a product says how many rows there are
    call("times", {constant(Tensor(weights.dtype(), Shape{total / given[1]})), weights});
  }
  if (!weights.shape().is_static() || weights.shape().elements() != total)
    throw shape_error(cat("the weights have the shape ", weights.shape().text(),
                          "; a stack of these sizes has ", total, " of them"))
        .node(weights.text())
        .remedy(cat("give them the shape [", total / hidden_size, ", ", hidden_size, "], or [?, ",
                    hidden_size, "]"));
  const Variable argument = placeholder("x", operand.type());
  Variable x = argument;
  Weights parts(weights);
  std::vector<Direction> all;
  for (int64_t layer = 0; layer < num_layers; ++layer)
    for (int64_t d = 0; d < directions; ++d)
      all.push_back({parts.next({gates * hidden_size, input_of(layer)}),
                     parts.next({gates * hidden_size, hidden_size}),
                     {},
                     {}});
  for (Direction& d : all)
    d.b = parts.next({gates * hidden_size}), d.b_state = parts.next({gates * hidden_size});
  for (size_t layer = 0; layer < all.size(); layer += static_cast<size_t>(directions)) {
    std::vector<Variable> made;
    for (int64_t d = 0; d < directions; ++d)
      made.push_back(step_of(o.recurrent_op, hidden_size, all[layer + static_cast<size_t>(d)], x, d == 1));
    x = made.size() == 1 ? made[0] : Variable(call("splice", made, {{"axis", -1}}));
  }
  return as_block(function_of({x}), {{argument, operand}}, "OptimizedRNNStack", o.name);
}

}  // namespace

CANTIK_LAYERS(optimized_rnnstack) {
  layers.add("optimized_rnnstack", make_optimized_rnnstack)
      .doc(
          "Recurrent layers on top of one another, whose weights lie in one parameter as cuDNN has them.\n\n"
          "For each layer and direction the matrices [state, input] of all gates, then those [state, state]; "
          "behind "
          "them all, for each layer and direction, two biases a gate. Gates: lstm i, f, g, o; gru r, z, n.")
      .returns("the states of the last layer, a sequence");
}

}  // namespace cantik::layers
