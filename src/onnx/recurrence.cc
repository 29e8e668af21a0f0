#include "onnx/recurrence.h"

#include <string_view>
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/computed.h"

namespace cantik::onnx {
namespace {

using Named = std::vector<NamedAttribute>;

Variable apply(const char* op, const std::vector<Variable>& in, const Named& attributes = {}) {
  return call(op, in, attributes).output();
}

int64_t integer_of(const NodeRecord& n, std::string_view name, int64_t otherwise) {
  const AttributeRecord* a = n.find(name);
  return a ? a->integer : otherwise;
}

// Rows begin .. begin + count of a tensor [rows, columns], with the axes turned: [columns, count].
Tensor turned(const Tensor& t, int64_t begin, int64_t count) {
  const int64_t columns = t.shape()[1];
  Tensor y(t.dtype(), Shape{columns, count});
  const Tensor x = t.cast(DType::float64);
  Tensor wide(DType::float64, y.shape());
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < columns; ++j)
      wide.data<double>()[j * count + i] = x.data<double>()[(begin + i) * columns + j];
  y.copy_from(wide);
  return y;
}

Variable weights(const Tensor& value, const std::string& name) {
  Variable v = parameter(value.shape(), Initializer(0.0), value.dtype(), name);
  v.set_value(value);
  return v;
}

// An activation of a gate, with the numbers that it takes, as ONNX says them.
struct GateActivation {
  std::string name;
  double alpha = 0, beta = 0;
};

// Those of a node. Its lists of numbers have an entry for each activation that takes one, in their order.
std::vector<GateActivation> activations_of(const NodeRecord& n) {
  struct Takes {
    const char* name;
    std::optional<double> alpha, beta;  // as they are where the node does not say them
  };
  static constexpr Takes kTakes[] = {{"LeakyRelu", 0.01, {}}, {"ThresholdedRelu", 1.0, {}},
                                     {"Elu", 1.0, {}},        {"HardSigmoid", 0.2, 0.5},
                                     {"Affine", 1.0, 0.0},    {"ScaledTanh", 1.0, 1.0}};
  const AttributeRecord *names = n.find("activations"), *alphas = n.find("activation_alpha"),
                        *betas = n.find("activation_beta");
  size_t alpha = 0, beta = 0;
  auto next = [](const AttributeRecord* list, size_t& at, double otherwise) {
    return list && at < list->reals.size() ? list->reals[at++] : otherwise;
  };
  std::vector<GateActivation> list;
  for (size_t i = 0; names && i < names->texts.size(); ++i) {
    GateActivation a{std::string(names->texts[i])};
    for (const Takes& t : kTakes) {
      if (a.name != t.name) continue;
      if (t.alpha) a.alpha = next(alphas, alpha, *t.alpha);
      if (t.beta) a.beta = next(betas, beta, *t.beta);
    }
    list.push_back(std::move(a));
  }
  return list;
}

// One direction of a layer.
class LayerDirection {
 public:
  LayerDirection(const NodeRecord& n, const Tensor& w, const Tensor& r, const Tensor& b, int64_t which,
                 int64_t gates, int64_t hidden, std::vector<GateActivation> activations)
      : hidden_(hidden), activations_(std::move(activations)) {
    const std::string name(n.name.empty() ? n.op : n.name);
    const int64_t rows = gates * hidden;
    auto layer = [&](const Tensor& t) {
      return t.rows(which, which + 1).reshape(t.shape().sub(1, t.shape().rank()));
    };
    w_ = weights(turned(layer(w), 0, rows), name + ".W");
    r_ = weights(turned(layer(r), 0, rows), name + ".R");
    if (!b.defined()) return;
    const Tensor both = layer(b).cast(DType::float64);
    Tensor input(DType::float64, Shape{rows}), recurrent(DType::float64, Shape{rows});
    std::copy_n(both.data<double>(), rows, input.data<double>());
    std::copy_n(both.data<double>() + rows, rows, recurrent.data<double>());
    b_ = weights(input.cast(b.dtype()), name + ".B");
    rb_ = weights(recurrent.cast(b.dtype()), name + ".RB");
  }

  Variable input(const Variable& x) const {
    const Variable z = apply("times", {x, w_});
    return b_ ? apply("plus", {z, b_}) : z;
  }
  Variable recurrent(const Variable& h) const {
    const Variable z = apply("times", {h, r_});
    return rb_ ? apply("plus", {z, rb_}) : z;
  }
  // Gate i of several side by side.
  Variable gate(const Variable& z, int64_t i, int64_t count = 1) const {
    return apply("slice", {z},
                 {{"axis", Attribute(std::vector<int64_t>{-1})},
                  {"begin_index", Attribute(std::vector<int64_t>{i * hidden_})},
                  {"end_index", Attribute(std::vector<int64_t>{(i + count) * hidden_})}});
  }
  Variable activated(size_t which, const Variable& z) const {
    static constexpr std::pair<const char*, const char*> kNames[] = {{"Sigmoid", "sigmoid"},
                                                                     {"Tanh", "tanh"},
                                                                     {"Relu", "relu"},
                                                                     {"Softsign", "softsign"},
                                                                     {"Softplus", "softplus"}};
    const auto& [name, alpha, beta] = activations_.at(which);
    for (const auto& [theirs, ours] : kNames)
      if (name == theirs) return apply(ours, {z});
    auto number = [&](double v) { return Variable(constant(Tensor::full(z.dtype(), Shape(), v))); };
    if (name == "LeakyRelu") return apply("leaky_relu", {z}, {{"alpha", Attribute(alpha)}});
    if (name == "Elu") return apply("elu", {z}, {{"alpha", Attribute(alpha)}});
    if (name == "HardSigmoid")
      return apply("hard_sigmoid", {z}, {{"alpha", Attribute(alpha)}, {"beta", Attribute(beta)}});
    if (name == "ThresholdedRelu") return apply("element_times", {z, apply("greater", {z, number(alpha)})});
    if (name == "Affine") return apply("plus", {apply("element_times", {z, number(alpha)}), number(beta)});
    if (name == "ScaledTanh")
      return apply("element_times",
                   {apply("tanh", {apply("element_times", {z, number(beta)})}), number(alpha)});
    throw unsupported(cat("the activation ", name, " of a recurrence cannot be read"));
  }

 private:
  int64_t hidden_;
  std::vector<GateActivation> activations_;
  Variable w_, r_, b_, rb_;
};

// All the steps of an operand [steps, ...]: those behind the longest sequence are zeros.
int with_all_steps(Values& values, int v, int64_t steps) {
  std::vector<int64_t> dims = values.dims(v);
  dims[0] = steps;
  const int32_t element = values.at(v, "its type").element;
  KnownNumbers number;
  number.whole = true;
  number.integers = {steps};
  const int count =
      values.sizes().is_symbol(steps) ? values.size(steps) : values.add_known(std::move(number), kInt64);
  Computed what;
  what.results = {{dims, element}};
  what.run = [](const std::vector<Array>& in) {
    std::vector<int64_t> all = in[0].dims;
    all.at(0) = std::max(all[0], static_cast<int64_t>(in[1].numbers.at(0)));
    Array y = sized(all);
    std::copy(in[0].numbers.begin(), in[0].numbers.end(), y.numbers.begin());
    return std::vector<Array>{y};
  };
  what.moves = 0b1;
  what.elements = {element, kInt64};
  ReadValue made;
  made.variable =
      computed_function(std::move(what), "AllSteps", {values.variable(v), values.variable(count)}, {})
          .output();
  made.element = element;
  const int y = values.add(std::move(made));
  values.set_dims(y, dims);
  return y;
}

// What a layer makes in one direction: the state at each step, and what is left at the end.
struct Made {
  Variable steps, last_h, last_c;
};

Variable end_of(const Variable& v, bool ahead) {
  return apply(ahead ? "sequence_first" : "sequence_last", {v});
}

}  // namespace

State make_state(const Variable& like, const Variable& initial, const Shape& shape, bool ahead) {
  Type t = like.type();
  t.shape = shape;
  t.storage = Storage::dense;
  if (initial) t.dtype = initial.dtype();
  State s;
  s.place = placeholder("state", t);
  const Variable start = initial ? initial : constant(Shape(), Initializer(0.0), like.dtype());
  s.delayed = apply(ahead ? "future_value" : "past_value", {s.place, start});
  return s;
}

namespace {

// Of a node whose values have the steps first, then the batch.
std::vector<int> read_steps_first(Values& values, const NodeRecord& n, const std::vector<int>& in,
                                  Closings& closings) {
  auto has = [&](size_t i) { return i < in.size() && in[i] >= 0; };
  if (n.find("clip")) throw unsupported("a recurrence that clips cannot be read");
  if (integer_of(n, "input_forget", 0))
    throw unsupported("a recurrence whose input and forget gates are one cannot be read");
  const AttributeRecord* way = n.find("direction");
  const std::string direction(way ? way->text : "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    throw value_error(cat("a recurrence has no direction ", direction));
  const int64_t directions = direction == "bidirectional" ? 2 : 1;
  const int64_t gates = n.op == "LSTM" ? 4 : n.op == "GRU" ? 3 : 1;
  const Tensor w = values.tensor(in[1]), r = values.tensor(in[2]),
               b = has(3) ? values.tensor(in[3]) : Tensor();
  if (r.shape().rank() != 3 || w.shape().rank() != 3 || r.shape()[0] != directions ||
      w.shape()[0] != directions)
    throw value_error(
        cat("the weights of a recurrence have the shapes ", w.shape().text(), " and ", r.shape().text()));
  const int64_t hidden = r.shape()[2];
  if (w.shape()[1] != gates * hidden || r.shape()[1] != gates * hidden ||
      (b.defined() && !(b.shape() == Shape{directions, 2 * gates * hidden})))
    throw value_error(
        cat("the weights of a recurrence have the shapes ", w.shape().text(), " and ", r.shape().text()));
  std::vector<GateActivation> activations = activations_of(n);
  const std::vector<GateActivation> usual =
      n.op == "LSTM"  ? std::vector<GateActivation>{{"Sigmoid"}, {"Tanh"}, {"Tanh"}}
      : n.op == "GRU" ? std::vector<GateActivation>{{"Sigmoid"}, {"Tanh"}}
                      : std::vector<GateActivation>{{"Tanh"}};
  if (activations.empty())
    for (int64_t d = 0; d < directions; ++d)
      activations.insert(activations.end(), usual.begin(), usual.end());
  if (activations.size() != usual.size() * static_cast<size_t>(directions))
    throw value_error("a recurrence names too few activations");

  const std::vector<int64_t> dims = values.dims(in[0]);
  if (dims.size() != 3)
    throw value_error("the input of a recurrence has the axes of steps, batch and features");
  const int sequence = values.to_sequence(in[0], has(4) ? in[4] : -1);
  const Variable x = values.variable(sequence);
  auto initial = [&](size_t i, int64_t d) -> Variable {
    if (!has(i)) return {};
    const int plain = values.with_lead(in[i], 0);
    const std::vector<int64_t> shape = values.dims(plain);
    if (shape.size() != 3)
      throw value_error("an initial state has the axes of directions, batch and features");
    int one = plain;
    if (directions > 1)
      one = values.call("slice", {plain},
                        {{"axis", Attribute(std::vector<int64_t>{0})},
                         {"begin_index", Attribute(std::vector<int64_t>{d})},
                         {"end_index", Attribute(std::vector<int64_t>{d + 1})}});
    return values.variable(values.with_lead(values.reshape(one, {shape[1], shape[2]}), 1));
  };
  Tensor peepholes = has(7) ? values.tensor(in[7]) : Tensor();
  std::vector<Made> made;
  for (int64_t d = 0; d < directions; ++d) {
    const bool ahead = direction == "reverse" || d == 1;
    const auto first = static_cast<std::ptrdiff_t>(usual.size()) * d;
    const LayerDirection layer(n, w, r, b, d, gates, hidden,
                               {activations.begin() + first,
                                activations.begin() + first + static_cast<std::ptrdiff_t>(usual.size())});
    const State h = make_state(x, initial(5, d), Shape{hidden}, ahead);
    Made m;
    const Variable wx = layer.input(x);
    if (n.op == "RNN") {
      m.steps = layer.activated(0, apply("plus", {wx, layer.recurrent(h.delayed)}));
    } else if (n.op == "GRU") {
      // z, r, h: (1 - z) h~ + z h
      const Variable rh = layer.recurrent(h.delayed);
      const Variable z = layer.activated(0, apply("plus", {layer.gate(wx, 0), layer.gate(rh, 0)}));
      const Variable reset = layer.activated(0, apply("plus", {layer.gate(wx, 1), layer.gate(rh, 1)}));
      Variable candidate;
      if (integer_of(n, "linear_before_reset", 0))
        candidate = apply("element_times", {reset, layer.gate(rh, 2)});
      else
        candidate = layer.gate(layer.recurrent(apply("element_times", {reset, h.delayed})), 2);
      candidate = layer.activated(1, apply("plus", {layer.gate(wx, 2), candidate}));
      m.steps =
          apply("plus", {candidate, apply("element_times", {z, apply("minus", {h.delayed, candidate})})});
    } else {
      // i, o, f, c
      const State c = make_state(x, initial(6, d), Shape{hidden}, ahead);
      const Variable z = apply("plus", {wx, layer.recurrent(h.delayed)});
      auto peep = [&](const Variable& gate, int64_t which, const Variable& cell) {
        if (!peepholes.defined()) return gate;
        const Tensor all =
            peepholes.rows(d, d + 1).reshape(Shape{3, hidden}).rows(which, which + 1).reshape(Shape{hidden});
        return apply("plus", {gate, apply("element_times", {cell, weights(all.clone(), cat(n.name, ".P"))})});
      };
      const Variable i = layer.activated(0, peep(layer.gate(z, 0), 0, c.delayed));
      const Variable f = layer.activated(0, peep(layer.gate(z, 2), 2, c.delayed));
      const Variable cell = layer.activated(1, layer.gate(z, 3));
      const Variable next =
          apply("plus", {apply("element_times", {f, c.delayed}), apply("element_times", {i, cell})});
      const Variable o = layer.activated(0, peep(layer.gate(z, 1), 1, next));
      m.steps = apply("element_times", {o, layer.activated(2, next)});
      closings.emplace_back(c.place, next);
      if (n.outputs.size() > 2 && !n.outputs[2].empty()) m.last_c = end_of(next, ahead);
    }
    closings.emplace_back(h.place, m.steps);
    if (n.outputs.size() > 1 && !n.outputs[1].empty()) m.last_h = end_of(m.steps, ahead);
    made.push_back(m);
  }

  // [steps, directions, batch, features] and [directions, batch, features]
  std::vector<int> results(3, -1);
  auto joined = [&](const std::function<Variable(const Made&)>& part, bool steps) {
    std::vector<int> parts;
    for (const Made& m : made) {
      ReadValue v;
      v.variable = part(m);
      v.element = values.at(in[0], "its type").element;
      v.batch = dims[1];
      v.steps = dims[0];
      int p = values.with_lead(values.add(std::move(v)), 0);
      if (steps && has(4)) p = with_all_steps(values, p, dims[0]);
      const std::vector<int64_t> shape = steps ? std::vector<int64_t>{dims[0], 1, dims[1], hidden}
                                               : std::vector<int64_t>{1, dims[1], hidden};
      parts.push_back(values.reshape(p, shape));
    }
    return parts.size() == 1 ? parts[0]
                             : values.call("splice", parts, {{"axis", Attribute(int64_t{steps ? 1 : 0})}});
  };
  if (!n.outputs.empty() && !n.outputs[0].empty())
    results[0] = joined([](const Made& m) { return m.steps; }, true);
  if (made[0].last_h) results[1] = joined([](const Made& m) { return m.last_h; }, false);
  if (made[0].last_c) results[2] = joined([](const Made& m) { return m.last_c; }, false);
  return results;
}

int with_axes(Values& values, int v, const std::vector<int64_t>& perm) {
  const std::vector<int64_t> from = values.dims(v);
  std::vector<int64_t> to;
  for (int64_t p : perm) to.push_back(from.at(static_cast<size_t>(p)));
  const int made = values.call("transpose", {values.with_lead(v, 0)}, {{"perm", Attribute(perm)}});
  values.set_dims(made, to);
  return made;
}

// The same where the batch comes first.
std::vector<int> read_batch_first(Values& values, const NodeRecord& n, std::vector<int> in,
                                  Closings& closings) {
  for (size_t i : {0, 5, 6})
    if (i < in.size() && in[i] >= 0) in[i] = with_axes(values, in[i], {1, 0, 2});
  std::vector<int> made = read_steps_first(values, n, in, closings);
  if (made[0] >= 0) made[0] = with_axes(values, made[0], {2, 0, 1, 3});
  for (size_t i : {1, 2})
    if (made[i] >= 0) made[i] = with_axes(values, made[i], {1, 0, 2});
  return made;
}

// Attention whose sums over the steps are a state: of each head S [keys, values], to which each step adds
// k v^T; what is there may fade (exp(g) S), and what k stands for already may be taken off (v - S^T k). Each
// step gives scale q^T S. (Katharopoulos et al. 2020; Yang et al. 2024)
std::vector<int> read_linear_attention(Values& values, const NodeRecord& n, const std::vector<int>& in,
                                       Closings& closings) {
  auto has = [&](size_t i) { return i < in.size() && in[i] >= 0; };
  const AttributeRecord* said = n.find("update_rule");
  const std::string rule(said ? said->text : "gated_delta");
  const bool fades = rule == "gated" || rule == "gated_delta",
             takes_off = rule == "delta" || rule == "gated_delta";
  if (!fades && !takes_off && rule != "linear") throw value_error(cat("linear attention has no rule ", rule));
  if ((fades && !has(4)) || (takes_off && !has(5))) throw value_error(cat(n.op, " lacks an input"));
  const int64_t q_heads = integer_of(n, "q_num_heads", 0), heads = integer_of(n, "kv_num_heads", 0);
  const std::vector<int64_t> dq = values.dims(in[0]), dk = values.dims(in[1]), dv = values.dims(in[2]);
  if (heads < 1 || q_heads < 1 || q_heads % heads != 0 || dq.size() != 3 || dk.size() != 3 ||
      dv.size() != 3 || dk[2] < 1 || dv[2] < 1 || dk[2] % heads != 0 || dv[2] % heads != 0 ||
      dq[2] * heads != dk[2] * q_heads)
    throw value_error("the heads of linear attention do not divide its operands");
  const int64_t keys = dk[2] / heads, width = dv[2] / heads, group = q_heads / heads;

  // Half the precision is for what goes in and comes out: states are sums over all steps.
  const DType dtype = values.variable(in[0]).dtype();
  auto with_type = [](const Variable& v, DType to) {
    return v.dtype() == to ? v : apply("cast", {v}, {{"dtype", Attribute(to)}});
  };
  auto batch_of = [&](size_t i) {
    const Variable v = values.variable(values.with_lead(in[i], 1));
    return dtype == DType::float16 ? with_type(v, DType::float32) : v;
  };
  // [batch, steps, ...] as sequences of steps
  Variable like;
  auto steps_of = [&](size_t i, const std::vector<int64_t>& shape) {
    Variable v = apply("to_sequence", {batch_of(i)});
    if (like)
      v = apply("reconcile_dynamic_axes", {v, like});
    else
      like = v;
    return apply("reshape", {v}, {{"shape", Attribute(shape)}});
  };
  const Variable q = steps_of(0, {heads, group, keys, 1}), k = steps_of(1, {heads, keys, 1}),
                 v = steps_of(2, {heads, 1, width});
  Variable initial;
  if (has(3)) initial = batch_of(3);
  const State s = make_state(like, initial, Shape{heads, keys, width}, false);
  auto over_keys = [&](const Variable& x, int64_t axis) {
    return apply("reduce_sum", {x}, {{"axis", Attribute(std::vector<int64_t>{axis})}});
  };
  Variable before = s.delayed;
  if (fades) {
    const int64_t rates = values.dims(in[4]).at(2);
    if (rates != heads && rates != heads * keys)
      throw value_error("the rates of linear attention are none of its heads");
    const Variable g = steps_of(4, {heads, rates / heads, 1});
    before = apply("element_times", {before, apply("exp", {g})});
  }
  Variable added = v;
  if (takes_off) {
    added = apply("minus", {v, over_keys(apply("element_times", {before, k}), -2)});
    const int64_t rates = values.dims(in[5]).at(2);
    if (rates != heads && rates != 1)
      throw value_error("the rates of linear attention are none of its heads");
    added = apply("element_times", {added, steps_of(5, {rates, 1, 1})});
  }
  const Variable next = apply("plus", {before, apply("element_times", {k, added})});
  closings.emplace_back(s.place, next);
  const AttributeRecord* given = n.find("scale");
  const double scale = given && given->real != 0 ? given->real : 1 / std::sqrt(static_cast<double>(keys));
  const Variable state =
      apply("reshape", {next}, {{"shape", Attribute(std::vector<int64_t>{heads, 1, keys, width})}});
  Variable y = over_keys(apply("element_times", {q, state}), -2);
  y = apply("element_times", {y, constant(Shape(), Initializer(scale), y.dtype())});
  y = apply("reshape", {y}, {{"shape", Attribute(std::vector<int64_t>{q_heads * width})}});
  auto result = [&](const Variable& made, const std::vector<int64_t>& dims) {
    ReadValue r;
    r.variable = with_type(made, dtype);
    r.element = values.at(in[0], "its type").element;
    r.batch = dims[0];
    const int at = values.add(std::move(r));
    values.set_dims(at, dims);
    return at;
  };
  return {result(apply("unpack_values", {y}, {{"padding_value", 0.0}}), {dq[0], dq[1], q_heads * width}),
          result(end_of(next, false), {dq[0], heads, keys, width})};
}

}  // namespace

bool is_recurrence(std::string_view op) {
  return op == "LSTM" || op == "GRU" || op == "RNN" || op == "LinearAttention";
}

std::vector<int> read_recurrence(Values& values, const NodeRecord& n, const std::vector<int>& in,
                                 Closings& closings) {
  for (size_t i : {0, 1, 2})
    if (i >= in.size() || in[i] < 0) throw value_error(cat(n.op, " lacks an input"));
  if (n.op == "LinearAttention") return read_linear_attention(values, n, in, closings);
  if (integer_of(n, "layout", 0)) return read_batch_first(values, n, in, closings);
  return read_steps_first(values, n, in, closings);
}

}  // namespace cantik::onnx
