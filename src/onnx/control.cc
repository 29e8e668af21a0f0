// ONNX's branches and loops whose ways are known when the file is read.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "graph/node.h"
#include "onnx/reader.h"

namespace cantik::onnx {

std::vector<int> OnnxReader::results_of(const GraphRecord& g, Scope& inner, const Bindings* bindings,
                                        const char* what) {
  run(g.nodes, inner, bindings);
  std::vector<int> results;
  for (const ValueRecord& output : g.outputs) {
    const int made = inner.find(output.name);
    if (made < 0) throw value_error(cat(what, " names the output ", output.name, ", which no node makes"));
    results.push_back(made);
  }
  return results;
}

std::vector<int> OnnxReader::branch_of(const NodeRecord& n, const char* name, Scope& scope,
                                       const Bindings* bindings) {
  const AttributeRecord* branch = n.find(name);
  if (!branch || branch->graphs.size() != 1) throw value_error("a branch of If is missing");
  Scope inner;
  inner.outer = &scope;
  const GraphRecord& g = branch->graphs[0];
  for (const TensorRecord& t : g.initializers) define(inner, t.name, initializer(t));
  std::vector<int> results = results_of(g, inner, bindings, "a branch of If");
  if (results.size() < n.outputs.size()) throw value_error("a branch of If has fewer outputs than the node");
  return results;
}

void OnnxReader::if_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
                         const Bindings* bindings) {
  if (in.size() != 1 || in[0] < 0) throw value_error("If has one input, its condition");
  const KnownNumbers* condition = values_.known(in[0]);
  if (condition && (!condition->integers.empty() || !condition->reals.empty())) {
    const bool truth = condition->whole ? condition->integers[0] != 0 : condition->reals[0] != 0;
    return define_all(scope, n, branch_of(n, truth ? "then_branch" : "else_branch", scope, bindings));
  }
  const std::vector<int> yes = branch_of(n, "then_branch", scope, bindings),
                         no = branch_of(n, "else_branch", scope, bindings);
  const int flag = values_.reshape(values_.with_lead(in[0], 0), {});
  std::vector<int> results;
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    const int a = values_.with_lead(yes[i], 0), b = values_.with_lead(no[i], 0);
    const std::vector<int64_t> dims = values_.dims(a);
    if (dims != values_.dims(b)) return define_all(scope, n, run_branch(n, flag, scope, bindings));
    const int made = values_.call("element_select", {flag, a, b}, {});
    values_.set_dims(made, dims);
    values_.at(made, "a result").element = values_.at(yes[i], "a result").element;
    results.push_back(made);
  }
  define_all(scope, n, results);
}

void OnnxReader::loop_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
                           const Bindings* bindings) {
  const AttributeRecord* body = n.find("body");
  if (!body || body->graphs.size() != 1 || in.size() < 2) throw value_error("a loop lacks its body");
  const GraphRecord& g = body->graphs[0];
  const size_t states = in.size() - 2;
  if (g.inputs.size() != in.size() || g.outputs.size() < states + 1)
    throw value_error("the body of a loop has other inputs than the loop");
  for (size_t i = 2; i < in.size(); ++i)
    if (in[i] < 0) throw value_error("a loop lacks the beginning of a state");
  std::optional<std::vector<int>> results = written_loop(n, in, scope, bindings);
  define_all(scope, n, results ? *results : run_loop(n, in, scope, bindings));
}

std::optional<std::vector<int>> OnnxReader::written_loop(const NodeRecord& n, const std::vector<int>& in,
                                                         Scope& scope, const Bindings* bindings) {
  const GraphRecord& g = n.find("body")->graphs[0];
  auto number = [&](int v, int64_t otherwise) -> std::optional<int64_t> {
    if (v < 0) return otherwise;
    const KnownNumbers* k = values_.known(v);
    if (!k || !k->whole || k->integers.size() != 1 || k->integers[0] <= CANTIK_ONNX_SYMBOL) return {};
    return k->integers[0];
  };
  const std::optional<int64_t> most = number(in[0], INT64_MAX);
  std::optional<int64_t> goes_on = number(in[1], 1);
  if (!most || !goes_on) return {};
  Scope constants;
  constants.outer = &scope;
  for (const TensorRecord& t : g.initializers) define(constants, t.name, initializer(t));
  std::vector<int> state(in.begin() + 2, in.end());
  std::vector<std::vector<int>> rows(g.outputs.size() - 1 - state.size());
  for (int64_t round = 0; round < *most && *goes_on; ++round) {
    if (round == kMostRounds)
      throw unsupported(cat("a loop of more than ", kMostRounds, " rounds cannot be written out"))
          .remedy("write it as a Scan");
    Scope inner;
    inner.outer = &constants;
    define(inner, g.inputs[0].name, values_.reshape(known_numbers({round}), {}));
    define(inner, g.inputs[1].name, values_.reshape(known_numbers({1}, kBool), {}));
    for (size_t i = 0; i < state.size(); ++i) define(inner, g.inputs[i + 2].name, state[i]);
    const std::vector<int> made = results_of(g, inner, bindings, "the body of a loop");
    goes_on = number(made[0], 1);
    if (!goes_on) return {};
    for (size_t i = 0; i < state.size(); ++i) state[i] = made[i + 1];
    for (size_t i = 0; i < rows.size(); ++i) rows[i].push_back(made[state.size() + 1 + i]);
  }
  for (const std::vector<int>& list : rows)
    state.push_back(n.outputs.size() > state.size() ? stacked(list) : -1);
  return state;
}

int OnnxReader::stacked(const std::vector<int>& list, int64_t axis) {
  if (list.empty()) throw unsupported("a loop has no rounds, and empty tensors are not made");
  const size_t rank = values_.dims(list[0]).size();
  if (axis < 0) axis += static_cast<int64_t>(rank) + 1;
  if (axis < 0 || axis > static_cast<int64_t>(rank))
    throw value_error("the values of a loop have no such axis");
  std::vector<int> parts;
  std::vector<int64_t> dims;
  for (int v : list) {
    dims = values_.dims(v);
    if (dims.size() != rank) throw value_error("the values of a loop have different ranks");
    dims.insert(dims.begin() + axis, 1);
    parts.push_back(values_.reshape(values_.with_lead(v, 0), dims));
  }
  const int made = values_.call("splice", parts, {{"axis", axis - static_cast<int64_t>(rank) - 1}});
  dims[axis] = static_cast<int64_t>(list.size());
  values_.set_dims(made, dims);
  values_.at(made, "a result").element = values_.at(list[0], "a result").element;
  return made;
}

}  // namespace cantik::onnx
