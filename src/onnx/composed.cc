// Operators that are read as others of ONNX's own: attention with formulas between its steps, convolutions
// over a stream, older forms of Resize; and values that may be absent, which are known when the file is read.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/reader.h"

namespace cantik::onnx {

int OnnxReader::made(std::string_view op, const std::vector<int>& in,
                     std::vector<AttributeRecord> attributes) {
  return all_made(op, in, 1, std::move(attributes))[0];
}

std::vector<int> OnnxReader::all_made(std::string_view op, const std::vector<int>& in, size_t results,
                                      std::vector<AttributeRecord> attributes) {
  static constexpr std::string_view kResults[] = {"made", "second", "third"};
  std::vector<std::string> names;  // of the inputs
  for (size_t i = 0; i < in.size(); ++i) names.push_back(cat("in", i));
  Scope scope;
  NodeRecord n;
  n.op = op;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i] >= 0) define(scope, names[i], in[i]);
    n.inputs.push_back(in[i] >= 0 ? std::string_view(names[i]) : std::string_view());
  }
  n.outputs.assign(kResults, kResults + results);
  n.attributes = std::move(attributes);
  node(n, scope, nullptr);
  std::vector<int> made;
  for (std::string_view name : n.outputs) made.push_back(scope.find(name));
  return made;
}

int OnnxReader::known_numbers(std::vector<int64_t> numbers, int32_t element) {
  KnownNumbers k;
  k.whole = true;
  k.dims = {static_cast<int64_t>(numbers.size())};
  k.integers = std::move(numbers);
  return values_.add_known(std::move(k), element);
}

bool OnnxReader::composed_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
                               const Bindings* bindings) {
  const bool there = !in.empty() && in[0] >= 0;
  if (n.domain == "ai.onnx.preview" && n.op == "FlexAttention")
    define_all(scope, n, flex_attention(n, in, scope, bindings));
  else if (!n.domain.empty())
    return false;
  else if (n.op == "CausalConvWithState")
    define_all(scope, n, causal_convolution(n, in));
  else if (n.op == "Upsample" || (n.op == "Resize" && version_ < 11 && in.size() == 2))
    define_all(scope, n, {older_resize(n, in)});
  else if (n.op == "OptionalHasElement")
    define_all(scope, n, {values_.reshape(known_numbers({there}, kBool), {})});
  else if (n.op == "OptionalGetElement" || (n.op == "Optional" && there))
    define_all(scope, n, {there ? in[0] : throw value_error("the value that is asked for is not there")});
  else
    return false;
  return true;
}

// Upsample, and Resize before set 11: today's Resize has the scales behind another input.
int OnnxReader::older_resize(const NodeRecord& n, const std::vector<int>& in) {
  if (in.empty() || in[0] < 0) throw value_error("it lacks its input");
  const AttributeRecord *mode = n.find("mode"), *given = n.find("scales");
  int scales = in.size() > 1 ? in[1] : -1;
  if (scales < 0 && given) {  // before set 9
    KnownNumbers k;
    k.dims = {std::ssize(given->reals)};
    k.reals = given->reals;
    scales = values_.add_known(std::move(k), kFloat);
  }
  if (scales < 0) throw value_error("it lacks its scales");
  const int made_of = made("Resize", {in[0], -1, scales},
                           {text_attribute("mode", mode ? mode->text : "nearest"),
                            text_attribute("coordinate_transformation_mode", "asymmetric"),
                            text_attribute("nearest_mode", "floor")});
  name_result(made_of, n, in);
  return made_of;
}

// softmax(scale Q K^T) V for every head, with a formula of the file over the scores, and over their softmax.
std::vector<int> OnnxReader::flex_attention(const NodeRecord& n, const std::vector<int>& in, Scope& scope,
                                            const Bindings* bindings) {
  if (in.size() != 3 || in[0] < 0 || in[1] < 0 || in[2] < 0)
    throw value_error("attention lacks its queries, keys or values");
  const std::vector<int64_t> q = values_.dims(in[0]), k = values_.dims(in[1]), v = values_.dims(in[2]);
  if (q.size() != 4 || k.size() != 4 || v.size() != 4 || k[1] < 1 || q[1] < 1 || q[1] % k[1] != 0 ||
      k[1] != v[1] || q[3] < 1)
    throw value_error("the heads of queries do not share out those of keys");
  const int64_t group = q[1] / k[1];
  const int32_t element = values_.at(in[0], "its type").element;
  auto repeated = [&](int x) {  // each head so many times
    if (group == 1) return x;
    const std::vector<int64_t> d = values_.dims(x);
    ReadValue ones;
    ones.variable = constant(Tensor::full(values_.variable(x).dtype(), Shape{group, 1, 1}, 1));
    ones.element = element;
    ones.constant = true;
    const int apart = values_.reshape(x, {d[0], d[1], 1, d[2], d[3]});
    const int all = values_.call("element_times", {apart, values_.add(std::move(ones))}, {});
    values_.set_dims(all, {d[0], d[1], group, d[2], d[3]});
    return values_.reshape(all, {d[0], q[1], d[2], d[3]});
  };
  auto changed = [&](const char* name, int x) {
    const AttributeRecord* a = n.find(name);
    if (!a) return x;
    if (a->graphs.size() != 1 || a->graphs[0].inputs.size() != 1 || a->graphs[0].outputs.size() != 1)
      throw value_error(cat(name, " must be a graph of one input and one output"));
    const GraphRecord& g = a->graphs[0];
    Scope inner;
    inner.outer = &scope;
    define(inner, g.inputs[0].name, x);
    for (const TensorRecord& t : g.initializers) define(inner, t.name, initializer(t));
    return results_of(g, inner, bindings, name)[0];
  };
  const AttributeRecord *scale = n.find("scale"), *precision = n.find("softmax_precision");
  int64_t wide = element == kDouble ? int64_t{kDouble} : int64_t{kFloat};
  if (precision) wide = precision->integer;
  ReadValue factor;
  factor.variable = constant(Tensor::full(values_.variable(in[0]).dtype(), Shape(),
                                          scale ? scale->real : 1 / std::sqrt(static_cast<double>(q[3]))));
  factor.element = element;
  factor.constant = true;
  const int turned = made("Transpose", {repeated(in[1])}, {numbers_attribute("perm", {0, 1, 3, 2})});
  int y = made("Mul", {made("MatMul", {in[0], turned}), values_.add(std::move(factor))});
  if (wide != element) y = made("Cast", {y}, {number_attribute("to", wide)});
  y = changed("score_mod", y);
  y = changed("prob_mod", made("Softmax", {y}, {number_attribute("axis", -1)}));
  if (wide != element) y = made("Cast", {y}, {number_attribute("to", element)});
  return {made("MatMul", {y, repeated(in[2])})};
}

// A filter for each channel over the steps up to each place, of which the first lie in a state: [batch,
// channels, steps]. Its second result is the state for what comes next.
std::vector<int> OnnxReader::causal_convolution(const NodeRecord& n, const std::vector<int>& in) {
  auto has = [&](size_t i) { return i < in.size() && in[i] >= 0; };
  if (!has(0) || !has(1)) throw value_error(cat(n.op, " lacks an input"));
  const std::vector<int64_t> x = values_.dims(in[0]), w = values_.dims(in[1]);
  if (x.size() != 3 || w.size() != 3 || w[1] != 1 || w[2] < 1 || w[0] < 1)
    throw value_error("a convolution of channels has operands of three axes, and filters of one channel");
  const int64_t before = w[2] - 1;
  int wide = in[0];
  if (before > 0 && has(3))
    wide = made("Concat", {in[3], wide}, {number_attribute("axis", 2)});
  else if (before > 0)
    wide = made("Pad", {wide, known_numbers({0, 0, before, 0, 0, 0})});
  int y = made("Conv", {wide, in[1], has(2) ? in[2] : -1}, {number_attribute("group", w[0])});
  const AttributeRecord* said = n.find("activation");
  const std::string_view activation = said ? said->text : "none";
  if (activation == "silu" || activation == "swish")
    y = made("Mul", {y, made("Sigmoid", {y})});
  else if (activation != "none")
    throw value_error(cat("a convolution has no activation ", activation));
  std::vector<int> results{y, -1};
  if (n.outputs.size() < 2 || n.outputs[1].empty()) return results;
  if (before == 0) {
    if (x[0] < 0) throw unsupported("a state without numbers, of a batch whose size only a run knows");
    KnownNumbers none;
    none.dims = {x[0], w[0], 0};
    results[1] = values_.add_known(std::move(none), values_.at(in[0], "its type").element);
  } else {
    results[1] =
        made("Slice", {wide, known_numbers({-before}), known_numbers({INT64_MAX}), known_numbers({2})});
  }
  return results;
}

}  // namespace cantik::onnx
