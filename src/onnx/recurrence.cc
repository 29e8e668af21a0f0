#include "onnx/recurrence.h"

#include <string_view>
#include <algorithm>
#include <functional>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik::onnx {
namespace {

using Named = std::vector<NamedAttribute>;

Variable apply(const char* op, const std::vector<Variable>& in, const Named& attributes = {}) {
  return call(op, in, attributes).output();
}

int64_t integer(const NodeRecord& n, std::string_view name, int64_t otherwise) {
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

// One direction of a layer.
class LayerDirection {
 public:
  LayerDirection(const NodeRecord& n, const Tensor& w, const Tensor& r, const Tensor& b, int64_t which,
                 int64_t gates, int64_t hidden, std::vector<std::string> activations)
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
    for (const auto& [theirs, ours] : kNames)
      if (activations_.at(which) == theirs) return apply(ours, {z});
    throw unsupported(cat("the activation ", activations_[which], " of a recurrence cannot be read"));
  }

 private:
  int64_t hidden_;
  std::vector<std::string> activations_;
  Variable w_, r_, b_, rb_;
};

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
  State s;
  s.place = placeholder("state", t);
  const Variable start = initial ? initial : constant(Shape(), Initializer(0.0), like.dtype());
  s.delayed = apply(ahead ? "future_value" : "past_value", {s.place, start});
  return s;
}

bool is_recurrence(std::string_view op) { return op == "LSTM" || op == "GRU" || op == "RNN"; }

std::vector<int> read_recurrence(Values& values, const NodeRecord& n, const std::vector<int>& in,
                                 Closings& closings) {
  auto has = [&](size_t i) { return i < in.size() && in[i] >= 0; };
  if (!has(0) || !has(1) || !has(2)) throw value_error(cat(n.op, " lacks an input"));
  if (integer(n, "layout", 0))
    throw unsupported("a recurrence with the batch as its first axis cannot be read");
  if (n.find("clip")) throw unsupported("a recurrence that clips cannot be read");
  if (integer(n, "input_forget", 0))
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
  std::vector<std::string> activations;
  if (const AttributeRecord* a = n.find("activations"))
    for (std::string_view s : a->texts) activations.emplace_back(s);
  const std::vector<std::string> usual = n.op == "LSTM"  ? std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}
                                         : n.op == "GRU" ? std::vector<std::string>{"Sigmoid", "Tanh"}
                                                         : std::vector<std::string>{"Tanh"};
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
      if (integer(n, "linear_before_reset", 0))
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

}  // namespace cantik::onnx
