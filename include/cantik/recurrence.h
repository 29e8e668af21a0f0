// Recurrences: steps, and what carries them along sequences.
//
//   Function ahead = layers::recurrence(layers::lstm(300));
//   Function back = layers::recurrence(layers::lstm(300), {.go_backwards = true});
//   Function tagger = layers::sequential({
//       layers::embedding(150),
//       layers::side_by_side({ahead, back}),
//       layers::dense(127),
//   });
//
// A step is a function of states and an input that gives the new states, made of a cell or of code:
//
//   layers::recurrence([](Variable h, Variable x) { return 0.9 * h + x; });
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cantik/layers.h>
#include <cantik/source_location.h>

namespace cantik::layers {

namespace detail {
template <class R, class... A>
struct CodeOf {
  static constexpr int arity = sizeof...(A);
  using Result = R;
};
template <class F>
struct CallOf : CallOf<decltype(&F::operator())> {};
template <class R, class C, class... A>
struct CallOf<R (C::*)(A...) const> : CodeOf<R, A...> {};
template <class R, class C, class... A>
struct CallOf<R (C::*)(A...)> : CodeOf<R, A...> {};
template <class R, class... A>
struct CallOf<R (*)(A...)> : CodeOf<R, A...> {};

inline Function results(const Function& f) { return f; }
inline Function results(const Variable& v) { return function_of({v}); }
inline Function results(const std::vector<Variable>& list) { return function_of(list); }
template <class... V>
Function results(const std::tuple<V...>& t) {
  return std::apply([](const auto&... v) { return function_of({Variable(v)...}); }, t);
}
template <class A, class B>
Function results(const std::pair<A, B>& p) {
  return function_of({Variable(p.first), Variable(p.second)});
}
}  // namespace detail

// A function, or code of variables: [](Variable h, Variable x) { return tanh(h + x); } of one result, or of
// several as a std::tuple, std::pair or std::vector of variables.
class CANTIK_API Step {
 public:
  // A function of states and an input.
  Step(const Function& f) : function_(f) {}
  // Code of variables: its arguments are the states and the input.
  template <class F>
    requires(!std::convertible_to<F, Function> && !std::same_as<std::decay_t<F>, Step>)
  Step(F code)
      : Step(detail::CallOf<std::decay_t<F>>::arity,
             [code = std::move(code)](const std::vector<Variable>& v) {
               return [&]<size_t... I>(std::index_sequence<I...>) {
                 return detail::results(code(v[I]...));
               }(std::make_index_sequence<detail::CallOf<std::decay_t<F>>::arity>());
             }) {}

  // The step as a function.
  const Function& function() const { return function_; }

 private:
  Step(int arguments, const Body& body);
  Function function_;
};

// A number, a tensor, a parameter or constant: what a state is before the first step.
struct CANTIK_API InitialState : Variable {
  // A number for all elements, a tensor, or a parameter or constant.
  InitialState(double number) : Variable(constant(Shape{1}, number)) {}
  InitialState(int number) : InitialState(static_cast<double>(number)) {}
  InitialState(const Tensor& value) : Variable(constant(value)) {}
  InitialState(const Variable& v) : Variable(v) {}
};

// Options of recurrence(), recurrence_from() and fold().
struct RecurrenceOptions {
  bool go_backwards = false;                      // from the last step to the first
  std::vector<InitialState> initial_state = {0};  // one for each state, or one for all
  bool return_full_state = false;                 // all states; otherwise the first
  std::string name = {};
};

// Options of unfold_from().
struct UnfoldOptions {
  std::optional<Step> until_predicate = {};  // of the output: whether the sequence ends with it
  // the longest result, over the length of the sequence it is made for
  double length_increase = 1;
  std::string name = {};
};

// Options of rnn_step(), lstm() and gru().
struct CellOptions {
  std::optional<int64_t> cell_shape = {};  // the width of the state, where the result is a projection of it
  Activation activation = {};              // tanh; of an rnn_step sigmoid
  bool use_peepholes = false;              // of an LSTM: gates see the cell
  Initializer init = glorot_uniform();
  Initializer init_bias = 0.0;
  bool enable_self_stabilization = false;  // learned factors before products
  DType dtype = DType::float32;
  std::string name = {};
};

// Options of attention_model().
struct AttentionOptions {
  std::optional<int64_t> attention_span = {};  // only the last so many steps, ...
  std::optional<int64_t> attention_axis = {};  // ... as this static axis
  Initializer init = glorot_uniform();
  bool go_backwards = false;  // of the window: the first steps
  bool enable_self_stabilization = true;
  DType dtype = DType::float32;
  std::string name = {};
};

#define CANTIK_HERE SourceLocation where = SourceLocation::current()

// ---- steps
// h' = f(x · W + h · H + b) (Elman 1990). A function of h and x.
CANTIK_API Function rnn_step(int64_t shape, const CellOptions& options = {}, CANTIK_HERE);
// i, f, o = sigmoid(x · W + h · H + b), c' = f c + i tanh(...), h' = o tanh(c') (Hochreiter and Schmidhuber
// 1997; Gers et al. 2000). A function of h, c and x.
CANTIK_API Function lstm(int64_t shape, const CellOptions& options = {}, CANTIK_HERE);
// z, r = sigmoid(x · W + h · H + b), h' = (1 - z) tanh(x · W + (r h) · H1 + b) + z h (Cho et al. 2014). A
// function of h and x.
CANTIK_API Function gru(int64_t shape, const CellOptions& options = {}, CANTIK_HERE);

// ---- along sequences
// The states after every step of a sequence.
CANTIK_API Function recurrence(const Step& step, const RecurrenceOptions& options = {}, CANTIK_HERE);
// The same from states that are arguments: values for each sequence, or sequences, of which the last steps
// count.
CANTIK_API Function recurrence_from(const Step& step, const RecurrenceOptions& options = {}, CANTIK_HERE);
// The states after the last step.
CANTIK_API Function fold(const Step& step, const RecurrenceOptions& options = {}, CANTIK_HERE);
// A sequence that the generator makes: of a state it gives an output, which is the next state, or an output
// and the next state. As long as a second argument, times length_increase, or up to where until_predicate
// says that it ends. A function of the initial state and that argument.
CANTIK_API Function unfold_from(const Step& generator, const UnfoldOptions& options = {}, CANTIK_HERE);
// x T steps before; T < 0: behind.
CANTIK_API Function delay(int64_t T = 1, const InitialState& initial_state = 0, const std::string& name = {},
                          CANTIK_HERE);
// The last (going backwards the first) window_size steps side by side along a static axis, and which of them
// there are. Of each sequence one value.
CANTIK_API Function past_value_window(int64_t window_size, int64_t axis, bool go_backwards = false,
                                      const std::string& name = {}, CANTIK_HERE);
// A convolution whose first axis are the steps: y = activation(W * x + b); W : [filters..., channels, steps,
// kernel...], b : [filters..., 1...]. The same as a convolution of the frames around each step: with padding
// the result keeps the operand's sequence axis. No strides along the steps.
CANTIK_API Function convolution_along_steps(const Shape& kernel, const std::optional<Extents>& filters,
                                            const ConvolutionOptions& options = {}, CANTIK_HERE);
// A convolution over the steps of a sequence, with strides and dilations along them too: the result has a
// sequence axis of its own.
CANTIK_API Function sequential_convolution(const Shape& kernel, const std::optional<Extents>& filters,
                                           const ConvolutionOptions& options = {}, CANTIK_HERE);
// Recurrent layers on top of one another whose weights lie in one parameter, as cuDNN has them; recurrent_op:
// "lstm", "gru", "rnnTanh", "rnnReLU".
CANTIK_API Function optimized_rnnstack(const Variable& operand, const Variable& weights, int64_t hidden_size,
                                       int64_t num_layers, bool bidirectional = false,
                                       const std::string& recurrent_op = "lstm", const std::string& name = {},
                                       CANTIK_HERE);
// Where to look in a sequence, learned: weights = softmax over steps of tanh(enc · W + dec · V) · v, result =
// their mean of enc (Bahdanau et al. 2015). A function of the encoder's and the decoder's states.
CANTIK_API Function attention_model(int64_t attention_dim, const AttentionOptions& options = {}, CANTIK_HERE);
// The results of several functions of one argument, one behind the other along the last axis.
CANTIK_API Function side_by_side(const std::vector<Activation>& functions, const std::string& name = {},
                                 CANTIK_HERE);

#undef CANTIK_HERE

}  // namespace cantik::layers
