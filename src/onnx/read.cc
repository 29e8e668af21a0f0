// Nodes of a file, one after another, as calls of operators: each as the file of the operator says that it is
// read.
#include "onnx/read.h"

#include <vector>
#include <string_view>
#include <string>
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "graph/boundary.h"
#include "graph/node.h"
#include "graph/types.h"
#include "onnx/catalog.h"
#include "onnx/recurrence.h"
#include "onnx/rule_host.h"
#include "onnx/values.h"

namespace cantik::onnx {
namespace {

constexpr int64_t kOldest = 7, kNewest = 28;
constexpr int kDeepestCall = 32;  // functions of a file that call functions
constexpr int kMostNodes = 1 << 20;

// Names of a graph; those of the graph around it can be read as well.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string_view, int> values;
  int find(std::string_view name) const {
    for (const Scope* s = this; s; s = s->outer)
      if (auto it = s->values.find(name); it != s->values.end()) return it->second;
    return -1;
  }
};

class OnnxReader {
 public:
  OnnxReader(const ModelRecord& model, const ModelFolder& place) : model_(model), values_(place) {
    for (const auto& [domain, version] : model.operator_sets)
      if (domain.empty() || domain == "ai.onnx") version_ = version;
    for (const FileFunction& f : model.functions) functions_[key(f.domain, f.name)] = &f;
  }

  Function model() {
    if (version_ < kOldest || version_ > kNewest)
      throw unsupported(cat("the model is written in version ", version_,
                            " of ONNX's operators, and versions ", kOldest, " to ", kNewest, " are read"))
          .remedy("convert it with onnx.version_converter");
    const GraphRecord& g = model_.graph;
    if (g.has_sparse) throw unsupported("the model has sparse initializers");
    Scope scope;
    for (const TensorRecord& t : g.initializers) define(scope, t.name, initializer(t));
    for (const ValueRecord& v : g.inputs)
      if (scope.find(v.name) < 0) define(scope, v.name, input(v));
    run(g.nodes, scope, nullptr);
    std::vector<Variable> outputs;
    std::unordered_set<std::string> seen;
    for (const ValueRecord& v : g.outputs) {
      const int made = scope.find(v.name);
      if (made < 0) throw value_error(cat("the model names the output ", v.name, ", which no node makes"));
      outputs.push_back(output(made, v.name));
    }
    if (outputs.empty()) throw value_error("the model has no outputs");
    Function f = function_of(outputs, std::string(g.name)).as_composite();
    // a place may come with the value that another one is closed by; those of states that nothing reads stay
    // out
    for (bool closed = !closings_.empty(); closed;) {
      closed = false;
      Replacements now;
      for (const Variable& p : f.placeholders())
        for (const auto& [place, next] : closings_)
          if (p == place) now.emplace(place, next);
      if (now.empty()) break;
      f = f.replace_placeholders(now);
      closed = true;
    }
    return f;
  }

 private:
  static std::string key(std::string_view domain, std::string_view name) { return cat(domain, "::", name); }

  void define(Scope& scope, std::string_view name, int value) {
    if (name.empty()) return;
    if (!scope.values.emplace(name, value).second)
      throw value_error(cat("two values of the graph are called ", name));
  }

  int initializer(const TensorRecord& t) {
    if (is_whole(t.type)) return values_.add_known(known_of(t, values_.place()), t.type);
    const Tensor value = tensor_of(t, values_.place());
    ReadValue v;
    v.element = t.type;
    v.constant = true;
    if (value.shape().rank() == 0) {
      v.variable = cantik::constant(value, std::string(t.name));
    } else {
      v.variable = parameter(value.shape(), Initializer(0.0), value.dtype(), std::string(t.name));
      Stored& stored = *v.variable.node()->stored;
      stored.tensor = value;
      stored.pending = false;
    }
    return values_.add(std::move(v));
  }

  int input(const ValueRecord& r) {
    if (!r.is_tensor) throw unsupported(cat("the input ", r.name, " is no tensor"));
    if (r.type == kString || (!is_whole(r.type) && dtype_of_element(r.type) == DType::unknown))
      throw unsupported(cat("the input ", r.name, " has elements of ", element_name(r.type)));
    if (!r.has_shape) throw unsupported(cat("the rank of the input ", r.name, " is not known"));
    InputOptions options;
    options.dtype = is_whole(r.type) ? DType::float32 : dtype_of_element(r.type);
    options.axes = Axes();
    options.name = std::string(r.name);
    ReadValue v;
    v.element = r.type;
    std::vector<int64_t> sizes;
    for (const Dimension& d : r.dims) {
      if (d.size >= 0 || d.name.empty()) {
        if (d.size < -1) throw value_error(cat("the input ", r.name, " has a negative size"));
        sizes.push_back(d.size >= 0 ? d.size : values_.new_symbol());
        continue;
      }
      auto [it, fresh] = symbols_.try_emplace(d.name, 0);
      if (fresh) it->second = values_.new_symbol();
      sizes.push_back(it->second);
    }
    // What we have written ourselves: the steps of sequences, then the batch.
    const bool sequence = model_.producer == "Cantik" && r.dims.size() > 1 &&
                          r.dims[0].name.starts_with("sequence_") && r.dims[1].name == "batch";
    if (sequence) {
      auto [axis, fresh] = axes_.try_emplace(r.dims[0].name, Axis::sequence());
      if (fresh && axes_.size() > 1) axis->second = Axis::unique("sequence");
      options.axes = Axes({Axis::batch(), axis->second});
      v.steps = sizes[0];
      v.batch = sizes[1];
      sizes.erase(sizes.begin(), sizes.begin() + 2);
    }
    // A first size that each run chooses is the batch, but for CNTK's files, where it is a sequence's length.
    const bool batch = !sequence && !sizes.empty() && sizes[0] < 0 && model_.producer != "CNTK";
    if (batch) {
      options.axes = Axes::batch();
      v.batch = sizes[0];
      sizes.erase(sizes.begin());
    }
    Shape shape(sizes);
    for (int64_t& d : shape)
      if (d < 0) d = kFree;
    v.sizes = sizes;
    v.variable = cantik::input(shape, options);
    return values_.add(std::move(v));
  }

  // A function makes each output; one that is an input or numbers passes through.
  Variable output(int value, std::string_view name) {
    const Variable& v = values_.variable(value);
    if (v.is_output()) {
      if (v.owner().name().empty() && v.owner().outputs().size() == 1) v.node()->name = std::string(name);
      return v;
    }
    return call("alias", {v}, std::initializer_list<NamedAttribute>{}, std::string(name));
  }

  void run(const std::vector<NodeRecord>& nodes, Scope& scope, const Bindings* bindings) {
    for (const NodeRecord& n : nodes) {
      may_end(1000);
      if (++nodes_ > kMostNodes) throw value_error("functions of the file call one another far too often");
      try {
        node(n, scope, bindings);
      } catch (const Error& e) {
        if (e.has("node")) throw;
        throw Error(e).node(cat(n.op, n.name.empty() ? "" : " ", n.name, ", inputs ",
                                join(n.inputs, ", ", [&](std::string_view s) { return said(s, scope); })));
      }
    }
  }
  std::string said(std::string_view name, const Scope& scope) {
    const int v = scope.find(name);
    if (name.empty() || v < 0) return cat(name.empty() ? "(none)" : name);
    const ReadValue& r = values_.at(v, "a text");
    return cat(
        name, " : ",
        r.variable ? r.variable.type().text() : cat(element_name(r.element), Shape(r.known->dims).text()));
  }

  void node(const NodeRecord& n, Scope& scope, const Bindings* bindings) {
    std::vector<cantik_value> in;
    for (std::string_view name : n.inputs) {
      const int v = name.empty() ? -1 : scope.find(name);
      if (!name.empty() && v < 0)
        throw value_error(cat("it reads ", name, ", which no node before it makes"))
            .remedy("the nodes of a file stand in the order in which they run, and not in a cycle");
      in.push_back(v);
    }
    if (n.domain.empty() && n.op == "Constant")
      return define(scope, n.outputs.at(0), constant_node(n, bindings));
    if (n.domain.empty() && n.op == "If") return if_node(n, in, scope, bindings);
    if (n.domain.empty() && n.op == "Loop") return loop_node(n, in, scope, bindings);
    if (n.domain.empty() && n.op == "Scan") return scan_node(n, in, scope, bindings);
    if (n.domain.empty() && is_recurrence(n.op))
      return define_all(scope, n, read_recurrence(values_, n, in, closings_));
    if (n.domain.empty() && (n.op == "Expand" || n.op == "ConstantOfShape") && expand_node(n, in, scope))
      return;
    if (auto f = functions_.find(key(n.domain, n.op)); f != functions_.end())
      return call_function(*f->second, n, in, scope, bindings);
    const std::string name = n.domain.empty() ? std::string(n.op) : key(n.domain, n.op);
    const ReadingRule* reading = reading_of(name);
    if (!reading)
      throw unsupported(n.domain.empty()
                            ? cat("ONNX's operator ", n.op, " cannot be read")
                            : cat("the operator ", n.op, " of the domain ", n.domain, " cannot be read"))
          .remedy(
              "docs/onnx.md lists the operators that are; a library of operators can say how others are "
              "read");
    std::vector<cantik_value> results(std::max<size_t>(n.outputs.size(), 1), -1);
    apply_rule(*reading, n, in, results, bindings);
    for (size_t i = 0; i < n.outputs.size(); ++i) {
      if (n.outputs[i].empty()) continue;
      if (results[i] < 0) throw unsupported(cat("its output ", i, ", ", n.outputs[i], ", is not made here"));
      define(scope, n.outputs[i], results[i]);
      name_result(results[i], n, in);
    }
  }
  // A function is called as its node is.
  void name_result(int value, const NodeRecord& n, const std::vector<cantik_value>& in) {
    const ReadValue& r = values_.at(value, "its name");
    if (n.name.empty() || !r.variable || !r.variable.is_output() || !r.variable.node()->name.empty()) return;
    for (int i : in)
      if (i >= 0 && values_.at(i, "its name").variable &&
          values_.at(i, "its name").variable.node() == r.variable.node())
        return;
    r.variable.node()->name = std::string(n.name);
  }

  void apply_rule(const ReadingRule& reading, const NodeRecord& n, const std::vector<cantik_value>& in,
                  std::vector<cantik_value>& results, const Bindings* bindings) {
    ReadHost host{
        values_, n,  bindings,        *reading.op, results, std::vector<int32_t>(results.size(), -1),
        {},      {}, values_.place(), {},          {},      {}};
    std::vector<cantik_value> x = in;
    x.resize(in.size() + kSpare, -1);
    host.results.resize(results.size() + kSpare, -1);
    host.elements.resize(results.size() + kSpare, -1);
    cantik_builder builder{};
    builder.size = sizeof builder;
    builder.self = &host;
    builder.inputs = static_cast<int32_t>(in.size());
    builder.outputs = static_cast<int32_t>(results.size());
    builder.x = x.data();
    builder.result = host.results.data();
    builder.call = &ReadHost::call;
    builder.expression = &ReadHost::expression;
    builder.constant = &ReadHost::number;
    builder.type = &ReadHost::type;
    builder.fail = &ReadHost::fail;
    const std::string name(n.op);
    cantik_onnx_node node{sizeof(cantik_onnx_node),
                          &host,
                          &builder,
                          name.c_str(),
                          version_,
                          &ReadHost::attribute,
                          &ReadHost::numbers,
                          &ReadHost::set_numbers,
                          &ReadHost::shape,
                          &ReadHost::with_lead,
                          &ReadHost::reshape,
                          &ReadHost::set_shape,
                          &ReadHost::constant,
                          &ReadHost::whole,
                          &ReadHost::set_element,
                          &ReadHost::element};
    host.boundary.call(*reading.op, "reading of a node", [&] {
      if (reading.rule) return reading.rule->read(&node);
      return guarded([&] { read_by_form(node, reading); },
                     [&](int32_t kind, const char* text, const char* remedy) {
                       ReadHost::fail(&host, kind, text, remedy);
                     });
    });
    const int32_t element =
        !in.empty() && in[0] >= 0 ? values_.at(in[0], "its type").element : static_cast<int32_t>(kFloat);
    for (size_t i = 0; i < results.size(); ++i) {
      results[i] = host.results[i];
      if (results[i] < 0) continue;
      // the same value under another type is another value
      const int32_t said = host.elements[i] >= 0 ? host.elements[i] : element;
      if (values_.at(results[i], "a result").element != said) {
        ReadValue copy = values_.at(results[i], "a result");
        copy.element = said;
        if (copy.known && copy.variable && is_whole(said) != copy.known->whole)
          copy.known = nullptr, copy.evaluated = false;
        results[i] = values_.add(std::move(copy));
      }
    }
  }

  // The one node of an operator: its operands in their order, aligned as ONNX broadcasts, attributes by name.
  static void read_by_form(cantik_onnx_node& c, const ReadingRule& reading) {
    OnnxNode n(&c);
    const cantik_onnx_form& form = *reading.form;
    const Operator& op = *reading.op;
    std::vector<Term> terms;
    for (int i = 0; i < n.inputs(); ++i)
      if (n.has(i)) terms.push_back(n.x(i));
    if (static_cast<int>(terms.size()) < op.inputs_min ||
        (op.inputs_max >= 0 && static_cast<int>(terms.size()) > op.inputs_max))
      throw value_failure(
          cat("the node has ", terms.size(), " inputs, and ", op.inputs_min, " are expected"));
    std::vector<cantik_argument> given;
    for (int32_t i = 0; i < form.attribute_count; ++i) {
      cantik_attribute a{};
      if (c.attribute(c.self, form.attributes[i].name, &a)) throw Failure(CANTIK_VALUE, "");
      if (a.kind != CANTIK_NONE) given.push_back({form.attributes[i].field, a});
    }
    std::vector<cantik_value> in;
    for (const Term& t : n.aligned(terms)) in.push_back(t.value());
    cantik_value out = -1;
    if (c.builder->call(c.builder->self, op.name.c_str(), in.data(), static_cast<int32_t>(in.size()),
                        given.data(), static_cast<int32_t>(given.size()), &out, 1))
      throw Failure(CANTIK_VALUE, "");
    c.builder->result[0] = out;
  }

  int constant_node(const NodeRecord& n, const Bindings* bindings) {
    if (n.attributes.size() != 1) throw value_error("a constant has one attribute, its value");
    const AttributeRecord* a = &n.attributes[0];
    if (!a->reference.empty()) {
      const auto bound = bindings ? bindings->find(a->reference) : Bindings::const_iterator{};
      if (!bindings || bound == bindings->end()) throw value_error("a constant lacks its value");
      a = bound->second;
    }
    using Kind = AttributeRecord::Kind;
    KnownNumbers k;
    switch (a->kind) {
      case Kind::tensor: {
        const TensorRecord& t = a->tensors[0];
        if (is_whole(t.type)) return values_.add_known(known_of(t, values_.place()), t.type);
        ReadValue v;
        v.element = t.type;
        v.constant = true;
        v.variable = cantik::constant(tensor_of(t, values_.place()));
        return values_.add(std::move(v));
      }
      case Kind::real: k.reals = {a->real}; break;
      case Kind::reals: k.dims = {static_cast<int64_t>(a->reals.size())}, k.reals = a->reals; break;
      case Kind::integer: k.whole = true, k.integers = {a->integer}; break;
      case Kind::integers:
        k.whole = true, k.dims = {static_cast<int64_t>(a->integers.size())}, k.integers = a->integers;
        break;
      default: throw unsupported(cat("a constant whose value is ", a->name, " cannot be read"));
    }
    const int32_t element = k.whole ? kInt64 : kFloat;
    return values_.add_known(std::move(k), element);
  }

  void define_all(Scope& scope, const NodeRecord& n, const std::vector<int>& results) {
    for (size_t i = 0; i < n.outputs.size(); ++i) {
      if (n.outputs[i].empty()) continue;
      if (i >= results.size() || results[i] < 0)
        throw unsupported(cat("its output ", i, ", ", n.outputs[i], ", is not made here"));
      define(scope, n.outputs[i], results[i]);
    }
  }

  // Values that are repeated over sizes that only a run knows: those of a batch or of sequences.
  bool expand_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope) {
    const bool expand = n.op == "Expand";
    const size_t at = expand ? 1 : 0;
    const KnownNumbers* to = in.size() > at && in[at] >= 0 ? values_.known(in[at]) : nullptr;
    if (!to || !to->whole ||
        std::none_of(to->integers.begin(), to->integers.end(), [](int64_t d) { return d < 0; }))
      return false;
    int value;
    if (expand) {
      if (in[0] < 0) throw value_error("an input is missing");
      value = in[0];
    } else {
      double number = 0;
      int32_t element = kFloat;
      if (const AttributeRecord* a = n.find("value"); a && a->tensors.size() == 1) {
        const KnownNumbers k = known_of(a->tensors[0], values_.place());
        number = k.whole ? static_cast<double>(k.integers.at(0)) : k.reals.at(0);
        element = a->tensors[0].type;
      }
      ReadValue v;
      v.element = element;
      v.constant = true;
      v.variable = cantik::constant(
          Tensor::full(DType::float32, Shape(std::vector<int64_t>(to->integers.size(), 1)), number));
      value = values_.add(std::move(v));
    }
    define(scope, n.outputs.at(0), values_.expand(value, std::vector<int64_t>(to->integers)));
    return true;
  }

  // A loop over the steps of sequences: its states are delays, its body is read once.
  void scan_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
                 const Bindings* bindings) {
    if (values_.in_steps) throw unsupported("a loop inside a loop cannot be read");
    if (version_ < 9) throw unsupported("Scan is read from version 9 of ONNX's operators on");
    const AttributeRecord* body = n.find("body");
    const AttributeRecord* count = n.find("num_scan_inputs");
    if (!body || body->graphs.size() != 1 || !count || count->integer < 1 ||
        count->integer > static_cast<int64_t>(in.size()))
      throw value_error("a loop lacks its body, or the number of its sequences");
    const GraphRecord& g = body->graphs[0];
    const size_t scanned = static_cast<size_t>(count->integer), states = in.size() - scanned;
    if (g.inputs.size() != in.size() || g.outputs.size() < states)
      throw value_error("the body of a loop has other inputs than the loop");
    int ahead = -1;
    for (const char* name :
         {"scan_input_axes", "scan_output_axes", "scan_input_directions", "scan_output_directions"}) {
      const AttributeRecord* a = n.find(name);
      const bool directions = std::string_view(name).ends_with("directions");
      for (size_t i = 0;
           i < (std::string_view(name).starts_with("scan_input") ? scanned : g.outputs.size() - states);
           ++i) {
        const int64_t v = a && i < a->integers.size() ? a->integers[i] : 0;
        if (!directions && v != 0)
          throw unsupported("a loop over another axis than the first cannot be read");
        if (directions && ahead >= 0 && v != ahead)
          throw unsupported("a loop that goes both ways cannot be read");
        if (directions) ahead = static_cast<int>(v);
      }
    }
    Scope inner;
    inner.outer = &scope;
    std::vector<int> sequences;
    for (size_t i = states; i < in.size(); ++i) {
      if (in[i] < 0) throw value_error("a loop lacks a sequence");
      if (values_.dims(in[i]).size() < 2)
        throw unsupported("a loop over steps without a batch cannot be read");
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
        r.variable =
            call("reconcile_dynamic_axes", {r.variable, like}, std::vector<NamedAttribute>{}).output();
        r.batch = batch;
        r.steps = steps;
        r.known = nullptr;
        r.constant = false;
        v = values_.add(std::move(r));
      }
      results.push_back(v);
      if (i < states) closings_.emplace_back(made[i].place, values_.variable(v));
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

  // What a graph inside of a node makes.
  std::vector<int> results_of(const GraphRecord& g, Scope& inner, const Bindings* bindings,
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

  std::vector<int> branch_of(const NodeRecord& n, const char* name, Scope& scope, const Bindings* bindings) {
    const AttributeRecord* branch = n.find(name);
    if (!branch || branch->graphs.size() != 1) throw value_error("a branch of If is missing");
    Scope inner;
    inner.outer = &scope;
    const GraphRecord& g = branch->graphs[0];
    for (const TensorRecord& t : g.initializers) define(inner, t.name, initializer(t));
    std::vector<int> results = results_of(g, inner, bindings, "a branch of If");
    if (results.size() < n.outputs.size())
      throw value_error("a branch of If has fewer outputs than the node");
    return results;
  }

  // The branch is chosen when the file is read, if its condition is known; otherwise both are computed, since
  // they have no effects, and each run chooses between their results.
  void if_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
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
      if (dims != values_.dims(b))
        throw unsupported(
            "the branches of If make values of different shapes, and a run computes which is taken")
            .remedy("write the model for one of the cases, or with the condition as a constant");
      const int made = values_.call("element_select", {flag, a, b}, {});
      values_.set_dims(made, dims);
      values_.at(made, "a result").element = values_.at(yes[i], "a result").element;
      results.push_back(made);
    }
    define_all(scope, n, results);
  }

  static constexpr int64_t kMostRounds = 4096;  // of a loop that is written out

  // A loop whose number of rounds is known is written out, round by round.
  void loop_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
                 const Bindings* bindings) {
    const AttributeRecord* body = n.find("body");
    if (!body || body->graphs.size() != 1 || in.size() < 2) throw value_error("a loop lacks its body");
    const GraphRecord& g = body->graphs[0];
    const size_t states = in.size() - 2;
    if (g.inputs.size() != in.size() || g.outputs.size() < states + 1)
      throw value_error("the body of a loop has other inputs than the loop");
    auto number = [&](int v, int64_t otherwise) {
      if (v < 0) return otherwise;
      const KnownNumbers* k = values_.known(v);
      if (!k || !k->whole || k->integers.size() != 1 || k->integers[0] <= CANTIK_ONNX_SYMBOL)
        throw unsupported(
            "the rounds of a loop have to be known when the file is read, and a run computes them")
            .remedy("write the model with a constant number of rounds, or its recurrence as a Scan");
      return k->integers[0];
    };
    auto known = [&](int64_t value, int32_t type) {
      KnownNumbers k;
      k.whole = true;
      k.integers = {value};
      return values_.add_known(std::move(k), type);
    };
    const int64_t most = number(in[0], INT64_MAX);
    bool goes_on = number(in[1], 1) != 0;
    Scope constants;
    constants.outer = &scope;
    for (const TensorRecord& t : g.initializers) define(constants, t.name, initializer(t));
    std::vector<int> state(in.begin() + 2, in.end());
    std::vector<std::vector<int>> rows(g.outputs.size() - 1 - states);
    for (int64_t round = 0; round < most && goes_on; ++round) {
      if (round == kMostRounds)
        throw unsupported(cat("a loop of more than ", kMostRounds, " rounds cannot be written out"))
            .remedy("write it as a Scan");
      Scope inner;
      inner.outer = &constants;
      define(inner, g.inputs[0].name, known(round, kInt64));
      define(inner, g.inputs[1].name, known(1, kBool));
      for (size_t i = 0; i < states; ++i) {
        if (state[i] < 0) throw value_error("a loop lacks the beginning of a state");
        define(inner, g.inputs[i + 2].name, state[i]);
      }
      const std::vector<int> made = results_of(g, inner, bindings, "the body of a loop");
      goes_on = number(made[0], 1) != 0;
      for (size_t i = 0; i < states; ++i) state[i] = made[i + 1];
      for (size_t i = 0; i < rows.size(); ++i) rows[i].push_back(made[states + 1 + i]);
    }
    for (const std::vector<int>& list : rows)
      state.push_back(n.outputs.size() > state.size() ? stacked(list) : -1);
    define_all(scope, n, state);
  }

  // The values one behind the other along a new first axis.
  int stacked(const std::vector<int>& list) {
    if (list.empty()) throw unsupported("a loop has no rounds, and empty tensors are not made");
    std::vector<int> parts;
    std::vector<int64_t> dims;
    for (int v : list) {
      dims = values_.dims(v);
      dims.insert(dims.begin(), 1);
      parts.push_back(values_.reshape(values_.with_lead(v, 0), dims));
    }
    const int64_t first = -static_cast<int64_t>(dims.size());
    const int made = values_.call("splice", parts, {{"axis", first}});
    dims[0] = static_cast<int64_t>(list.size());
    values_.set_dims(made, dims);
    values_.at(made, "a result").element = values_.at(list[0], "a result").element;
    return made;
  }

  // A function of the file in place of its call.
  void call_function(const FileFunction& f, const NodeRecord& n, const std::vector<cantik_value>& in,
                     Scope& scope, const Bindings* around) {
    if (++depth_ > kDeepestCall) throw value_error("functions of the file call one another without an end");
    Scope inner;
    for (size_t i = 0; i < f.inputs.size() && i < in.size(); ++i)
      if (in[i] >= 0) define(inner, f.inputs[i], in[i]);
    Bindings bindings;
    for (const AttributeRecord& a : f.defaults) bindings[a.name] = &a;
    for (const AttributeRecord& a : n.attributes) {
      if (a.reference.empty())
        bindings[a.name] = &a;
      else if (around && around->count(a.reference))
        bindings[a.name] = around->at(a.reference);
    }
    run(f.nodes, inner, &bindings);
    for (size_t i = 0; i < n.outputs.size() && i < f.outputs.size(); ++i) {
      if (n.outputs[i].empty()) continue;
      const int made = inner.find(f.outputs[i]);
      if (made < 0)
        throw value_error(cat("the function ", f.name, " does not make its output ", f.outputs[i]));
      define(scope, n.outputs[i], made);
    }
    --depth_;
  }

  const ModelRecord& model_;
  Values values_;
  int64_t version_ = 0;
  int depth_ = 0, nodes_ = 0;
  Closings closings_;
  std::unordered_map<std::string, const FileFunction*> functions_;
  std::unordered_map<std::string_view, int64_t> symbols_;
  std::unordered_map<std::string_view, Axis> axes_;
};

}  // namespace

Function read_model(const ModelRecord& model, const ModelFolder& place) {
  return OnnxReader(model, place).model();
}

}  // namespace cantik::onnx
