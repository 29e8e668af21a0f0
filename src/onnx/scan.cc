// ONNX's Scan: a loop over the steps of sequences, whose states go from step to step.
#include <algorithm>
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

// What a node says about its loop.
struct OnnxReader::ScanForm {
  const GraphRecord* body = nullptr;
  size_t states = 0, scanned = 0;
  // Of what is scanned, and of what is made at each step: the axis of the steps, and whether they go
  // backwards.
  std::vector<int64_t> axes, backwards, result_axes, result_backwards;

  ScanForm(const NodeRecord& n, size_t inputs, bool is_old) {
    const AttributeRecord *graph = n.find("body"), *count = n.find("num_scan_inputs");
    if (!graph || graph->graphs.size() != 1 || !count || count->integer < 1 ||
        count->integer > static_cast<int64_t>(inputs))
      throw value_error("a loop lacks its body, or the number of its sequences");
    body = &graph->graphs[0];
    scanned = static_cast<size_t>(count->integer);
    states = inputs - scanned;
    if (body->inputs.size() != inputs || body->outputs.size() < states)
      throw value_error("the body of a loop has other inputs than the loop");
    auto list = [&](const char* name, size_t size) {
      const AttributeRecord* a = n.find(name);
      std::vector<int64_t> values = a ? a->integers : std::vector<int64_t>();
      values.resize(size);
      return values;
    };
    axes = list(is_old ? "" : "scan_input_axes", scanned);
    backwards = list(is_old ? "directions" : "scan_input_directions", scanned);
    result_axes = list(is_old ? "" : "scan_output_axes", body->outputs.size() - states);
    result_backwards = list(is_old ? "" : "scan_output_directions", body->outputs.size() - states);
  }
  // Whether all steps go the same way along the first axis.
  bool goes_one_way() const {
    auto is_zero = [](int64_t a) { return a == 0; };
    auto is_same = [&](int64_t b) { return b == backwards[0]; };
    return std::all_of(axes.begin(), axes.end(), is_zero) &&
           std::all_of(result_axes.begin(), result_axes.end(), is_zero) &&
           std::all_of(backwards.begin(), backwards.end(), is_same) &&
           std::all_of(result_backwards.begin(), result_backwards.end(), is_same);
  }
};

std::vector<int> OnnxReader::written_scan(const ScanForm& form, const std::vector<int>& in, Scope& scope,
                                          const Bindings* bindings) {
  const GraphRecord& g = *form.body;
  int64_t steps = -1;
  for (size_t i = 0; i < form.scanned; ++i) {
    const int v = in[form.states + i];
    if (v < 0) throw value_error("a loop lacks a sequence");
    const std::vector<int64_t> dims = values_.dims(v);
    const int64_t size =
        dims.at(static_cast<size_t>(OnnxNode::axis_of(form.axes[i], static_cast<int>(dims.size()))));
    if (size < 0)
      throw unsupported(
          "a loop over steps of which only a run knows how many there are needs a batch, and the steps "
          "first");
    if (steps >= 0 && size != steps) throw value_error("the sequences of a loop have different lengths");
    steps = size;
  }
  if (steps > kMostRounds)
    throw unsupported(cat("a loop of more than ", kMostRounds, " steps cannot be written out"));
  Scope constants;
  constants.outer = &scope;
  for (const TensorRecord& t : g.initializers) define(constants, t.name, initializer(t));
  std::vector<int> state(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(form.states));
  std::vector<std::vector<int>> rows(g.outputs.size() - form.states);
  for (int64_t t = 0; t < steps; ++t) {
    Scope inner;
    inner.outer = &constants;
    for (size_t i = 0; i < form.states; ++i) {
      if (state[i] < 0) throw value_error("a loop lacks the beginning of a state");
      define(inner, g.inputs[i].name, state[i]);
    }
    for (size_t i = 0; i < form.scanned; ++i)
      define(inner, g.inputs[form.states + i].name,
             step_of(in[form.states + i], form.axes[i], form.backwards[i] ? steps - 1 - t : t));
    const std::vector<int> made = results_of(g, inner, bindings, "the body of a loop");
    std::copy_n(made.begin(), form.states, state.begin());
    for (size_t i = 0; i < rows.size(); ++i) rows[i].push_back(made[form.states + i]);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (form.result_backwards[i]) std::reverse(rows[i].begin(), rows[i].end());
    state.push_back(stacked(rows[i], form.result_axes[i]));
  }
  return state;
}

std::vector<int> OnnxReader::scan_of_samples(const ScanForm& form, const std::vector<int>& in, Scope& scope,
                                             const Bindings* bindings) {
  int64_t batch = -1;
  for (int v : in) {
    if (v < 0) throw value_error("a loop lacks an input");
    const std::vector<int64_t> dims = values_.dims(v);
    if (dims.empty() || dims[0] < 0 || (batch >= 0 && dims[0] != batch))
      throw unsupported("a loop for each sample of a batch whose size is not known cannot be read");
    batch = dims[0];
  }
  std::vector<std::vector<int>> results(form.body->outputs.size());
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<int> sample;
    for (int v : in) sample.push_back(step_of(v, 0, b));
    const std::vector<int> made = written_scan(form, sample, scope, bindings);
    for (size_t i = 0; i < results.size(); ++i) results[i].push_back(made[i]);
  }
  std::vector<int> all;
  for (const std::vector<int>& list : results) all.push_back(stacked(list));
  return all;
}

int OnnxReader::step_of(int v, int64_t axis, int64_t place) {
  AttributeRecord along;
  along.name = "axis";
  along.kind = AttributeRecord::Kind::integer;
  along.integer = axis;
  return made("Gather", {v, values_.reshape(known_numbers({place}), {})}, {along});
}

// Whether the second axis of what is scanned is a batch: some values come from the run, and every state
// begins with an axis of the same size.
bool OnnxReader::has_batch(const ScanForm& form, const std::vector<int>& in) {
  bool constant = true;
  std::optional<int64_t> batch;
  for (size_t i = form.states; i < in.size(); ++i) {
    if (in[i] < 0) throw value_error("a loop lacks a sequence");
    const std::vector<int64_t> dims = values_.dims(in[i]);
    if (dims.size() < 2) return false;
    constant = constant && values_.at(in[i], "a sequence").constant;
    if (!batch) batch = dims[1];
  }
  for (size_t i = 0; i < form.states; ++i) {
    if (in[i] < 0) throw value_error("a loop lacks the beginning of a state");
    const std::vector<int64_t> dims = values_.dims(in[i]);
    if (dims.empty()) return false;
    const bool differs = dims[0] != *batch;
    if (differs && (dims[0] >= 0 || *batch >= 0)) return false;
  }
  return !constant;
}

// A body that only counts steps, and reads nothing of what is scanned: it goes on as long as that.
Variable OnnxReader::of_as_many_steps(const Variable& v, const Variable& like) {
  const std::vector<Variable> read = function_of({v}).arguments(), scanned = function_of({like}).arguments();
  auto is_scanned = [&](const Variable& a) {
    return std::find(scanned.begin(), scanned.end(), a) != scanned.end();
  };
  if (std::any_of(read.begin(), read.end(), is_scanned)) return v;
  return call("reconcile_dynamic_axes", {v, like}, std::vector<NamedAttribute>{}).output();
}

void OnnxReader::scan_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
                           const Bindings* bindings) {
  if (values_.in_steps) throw unsupported("a loop inside a loop cannot be read");
  if (version_ < 9) {
    if (!in.empty() && in[0] >= 0)
      throw unsupported("Scan with lengths of sequences, of version 8 of ONNX's operators, cannot be read");
    const std::vector<int> rest(in.begin() + (in.empty() ? 0 : 1), in.end());
    return define_all(scope, n, scan_of_samples(ScanForm(n, rest.size(), true), rest, scope, bindings));
  }
  const ScanForm form(n, in.size(), false);
  if (!has_batch(form, in) || !form.goes_one_way())
    return define_all(scope, n, written_scan(form, in, scope, bindings));
  const GraphRecord& g = *form.body;
  const size_t states = form.states;
  const int ahead = form.backwards[0] != 0;
  Scope inner;
  inner.outer = &scope;
  std::vector<int> sequences;
  for (size_t i = states; i < in.size(); ++i) {
    if (in[i] < 0) throw value_error("a loop lacks a sequence");
    int s = values_.to_sequence(in[i]);
    // of the same lengths as the first
    if (!sequences.empty() && !(values_.variable(s).axes() == values_.variable(sequences[0]).axes())) {
      ReadValue v = values_.at(s, "a sequence");
      v.variable = call("reconcile_dynamic_axes", {v.variable, values_.variable(sequences[0])},
                        std::vector<NamedAttribute>{})
                       .output();
      s = values_.add(std::move(v));
    }
    sequences.push_back(s);
    define(inner, g.inputs[i].name, s);
  }
  const Variable like = values_.variable(sequences[0]);
  const int64_t batch = values_.at(sequences[0], "a sequence").batch,
                steps = values_.at(sequences[0], "a sequence").steps;
  std::vector<State> made;
  for (size_t i = 0; i < states; ++i) {
    if (in[i] < 0) throw value_error("a loop lacks the beginning of a state");
    const int begin = values_.with_lead(in[i], 1);
    const Variable initial = values_.variable(begin);
    made.push_back(make_state(like, initial, initial.shape(), ahead == 1));
    ReadValue v;
    v.variable = made.back().delayed;
    v.element = values_.at(in[i], "its type").element;
    v.batch = batch;
    v.steps = steps;
    define(inner, g.inputs[i].name, values_.add(std::move(v)));
  }
  for (const TensorRecord& t : g.initializers) define(inner, t.name, initializer(t));
  values_.in_steps = true;
  run(g.nodes, inner, bindings);
  std::vector<int> results;
  for (size_t i = 0; i < g.outputs.size(); ++i) {
    int v = inner.find(g.outputs[i].name);
    if (v < 0)
      throw value_error(
          cat("the body of a loop names the output ", g.outputs[i].name, ", which no node makes"));
    if (!values_.variable(v).axes().has_sequence()) {  // the same at each step
      ReadValue r = values_.at(v, "a result");
      r.variable = call("reconcile_dynamic_axes", {r.variable, like}, std::vector<NamedAttribute>{}).output();
      r.batch = batch;
      r.steps = steps;
      r.known = nullptr;
      r.constant = false;
      v = values_.add(std::move(r));
    }
    results.push_back(v);
    if (i < states) closings_.emplace_back(made[i].place, of_as_many_steps(values_.variable(v), like));
  }
  values_.in_steps = false;
  for (size_t i = 0; i < n.outputs.size() && i < results.size(); ++i) {
    if (n.outputs[i].empty()) continue;
    if (i < states) {
      ReadValue last = values_.at(results[i], "a result");
      last.variable = call(ahead == 1 ? "sequence_first" : "sequence_last", {last.variable},
                           std::vector<NamedAttribute>{})
                          .output();
      last.plain = last.rows = -1;
      define(scope, n.outputs[i], values_.add(std::move(last)));
    } else {
      define(scope, n.outputs[i], results[i]);
    }
  }
}

}  // namespace cantik::onnx
