// Nodes of a file, one after another, as calls of operators: each as the file of the operator says that it is
// read.
#include "onnx/read.h"

#include <vector>
#include <string_view>
#include <string>
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "graph/boundary.h"
#include "graph/node.h"
#include "graph/types.h"
#include "onnx/cntk_files.h"
#include "onnx/reader.h"

namespace cantik::onnx {
namespace {

constexpr int64_t kOldestRead = 7, kNewestRead = 28;
constexpr int kDeepestCall = 32;  // functions of a file that call functions
constexpr int kMostNodes = 1 << 20;

// Whole numbers are computed as real ones. Some operators make numbers of them that are none of their type:
// with digits behind the point, or beyond what the type holds. In float64 those of 64 bits go on beyond.
bool leaves_whole_type(const NodeRecord& n, int32_t element) {
  static constexpr std::string_view kFractions[] = {"Pow", "ReduceMean", "ReduceL2", "ReduceLogSum",
                                                    "ReduceLogSumExp"};
  static constexpr std::string_view kOverflows[] = {"Add",       "Sub",      "Mul",        "Neg",
                                                    "Abs",       "Sum",      "MatMul",     "Gemm",
                                                    "ReduceSum", "ReduceL1", "ReduceProd", "ReduceSumSquare",
                                                    "CumSum"};
  auto is_one = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), n.op) != std::end(names);
  };
  if (!is_whole(element) || element == kBool || !n.domain.empty()) return false;
  return is_one(kFractions) || (bits_of(element) < 64 && is_one(kOverflows));
}

}  // namespace

OnnxReader::OnnxReader(const ModelRecord& model, const ModelFolder& place, const OnnxReading& reading)
    : model_(model), values_(place), reading_(reading) {
  values_.open_batches = reading.static_axes;
  values_.exact = model.producer != kCantik && model.producer != kCntk;
  for (const auto& [domain, version] : model.operator_sets)
    if (domain.empty() || domain == "ai.onnx") version_ = version;
  if (version_ == 0 && !model.operator_sets.empty()) version_ = kNewestRead;  // there are none of ONNX's own
  for (const FileFunction& f : model.functions) functions_[key(f.domain, f.name)] = &f;
}

Function OnnxReader::model() {
  if (version_ < kOldestRead || version_ > kNewestRead)
    throw unsupported(cat("the model is written in version ", version_, " of ONNX's operators, and versions ",
                          kOldestRead, " to ", kNewestRead, " are read"))
        .remedy("convert it with onnx.version_converter");
  const GraphRecord& g = model_.graph;
  if (g.has_sparse) throw unsupported("the model has sparse initializers");
  batch_name_ = find_batch_name();
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
    outputs.push_back(
        output(reading_.static_axes ? values_.with_lead(made, 0) : as_batch(values_.with_axes_apart(made), v),
               v.name));
  }
  if (outputs.empty()) throw value_error("the model has no outputs");
  return closed(function_of(outputs, std::string(g.name)).as_composite());
}

Function OnnxReader::closed(Function f) const {
  // a place may come with the value that another one is closed by; those of states that nothing reads stay
  // out
  for (bool more = !closings_.empty(); more;) {
    more = false;
    Replacements now;
    for (const Variable& p : f.placeholders())
      for (const auto& [place, next] : closings_)
        if (p == place) now.emplace(place, next);
    if (now.empty()) break;
    f = f.replace_placeholders(now);
    more = true;
  }
  return f;
}

void OnnxReader::define(Scope& scope, std::string_view name, int value) {
  if (name.empty()) return;
  if (!scope.values.emplace(name, value).second)
    throw value_error(cat("two values of the graph are called ", name));
}

int OnnxReader::initializer(const TensorRecord& t) {
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

int OnnxReader::no_numbers(const ValueRecord& r) {
  KnownNumbers k;
  k.whole = is_whole(r.type);
  for (const Dimension& d : r.dims) {
    if (d.size < 0) throw unsupported(cat("the input ", r.name, " has both an open size and a size of 0"));
    k.dims.push_back(d.size);
  }
  return values_.add_known(std::move(k), r.type);
}

int OnnxReader::input(const ValueRecord& r) {
  if (!r.is_tensor) throw unsupported(cat("the input ", r.name, " is no tensor"));
  if (holder_of(r.type) == DType::unknown)
    throw unsupported(cat("the input ", r.name, " has elements of ", element_name(r.type)));
  if (!r.has_shape) throw unsupported(cat("the rank of the input ", r.name, " is not known"));
  if (std::any_of(r.dims.begin(), r.dims.end(), [](const Dimension& d) { return d.size == 0; }))
    return no_numbers(r);
  InputOptions options;
  options.dtype = holder_of(r.type);
  options.axes = Axes();
  options.name = std::string(r.name);
  ReadValue v;
  v.element = r.type;
  std::vector<int64_t> sizes;
  const bool ours = model_.producer == kCantik;
  for (const Dimension& d : r.dims) {
    if (reading_.static_axes && ours && d.name == kBatchSize) {
      sizes.push_back(1);
      continue;
    }
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
  const bool sequence = !reading_.static_axes && ours && r.dims.size() > 1 &&
                        r.dims[0].name.starts_with("sequence_") && r.dims[1].name == kBatchSize;
  if (sequence) {
    auto [axis, fresh] = axes_.try_emplace(r.dims[0].name, Axis::sequence());
    if (fresh && axes_.size() > 1) axis->second = Axis::unique("sequence");
    options.axes = Axes({Axis::batch(), axis->second});
    v.steps = sizes[0];
    v.batch = sizes[1];
    sizes.erase(sizes.begin(), sizes.begin() + 2);
  }
  const bool batch = !sequence && !sizes.empty() && sizes[0] < 0 && is_batch(r);
  if (batch) {
    options.axes = Axes::batch();
    v.batch = sizes[0];
    batch_sizes_.insert(v.batch);
    sizes.erase(sizes.begin());
  }
  Shape shape(sizes);
  for (int64_t& d : shape)
    if (d < 0) d = kFree;
  v.sizes = sizes;
  v.variable = cantik::input(shape, options);
  if (is_held_by_another(r.type, options.dtype)) v.variable.node()->element = r.type;
  return values_.add(std::move(v));
}

// The name of the first size that each run chooses; empty: it has none. TorchScript's exporter makes names
// such as `x_dynamic_axes_1` where the user gives none; they are different for sizes that are the same.
std::string_view OnnxReader::name_of_first(const ValueRecord& r) {
  if (r.dims.empty() || r.dims[0].size >= 0) return {};
  const std::string_view name = r.dims[0].name;
  return name.find("_dynamic_axes_") == std::string_view::npos ? name : std::string_view();
}

std::string_view OnnxReader::find_batch_name() const {
  if (model_.producer == kCantik) return kBatchSize;
  const GraphRecord& g = model_.graph;
  auto begins_input = [&](std::string_view name) {
    return std::any_of(g.inputs.begin(), g.inputs.end(),
                       [&](const ValueRecord& v) { return name_of_first(v) == name; });
  };
  for (const std::vector<ValueRecord>* values : {&g.outputs, &g.inputs})
    for (const ValueRecord& v : *values)
      if (const std::string_view name = name_of_first(v); !name.empty() && begins_input(name)) return name;
  return {};
}

bool OnnxReader::is_batch(const ValueRecord& r) const {
  // in CNTK's files it is the length of a sequence
  if (reading_.static_axes || model_.producer == kCntk) return false;
  const std::string_view name = name_of_first(r);
  return name.empty() || name == batch_name_;
}

int OnnxReader::as_batch(int value, const ValueRecord& r) {
  const ReadValue& v = values_.at(value, "an output");
  if (batch_sizes_.empty() || v.constant || !v.variable || v.variable.axes().size() > 0) return value;
  const std::vector<int64_t> sizes = values_.dims(value);
  if (sizes.empty() || !values_.sizes().is_symbol(sizes[0])) return value;
  const bool said = !batch_name_.empty() && name_of_first(r) == batch_name_;
  return said || batch_sizes_.contains(sizes[0]) ? values_.with_lead(value, 1) : value;
}

Variable OnnxReader::output(int value, std::string_view name) {
  const Variable& v = values_.variable(value);
  const int32_t element = values_.at(value, "an output").element;
  if (is_held_by_another(element, v.dtype())) {
    const Function f = call("alias", {v}, std::initializer_list<NamedAttribute>{}, std::string(name));
    f.node()->element = element;
    return f.output();
  }
  if (v.is_output()) {
    if (v.owner().name().empty() && v.owner().outputs().size() == 1) v.node()->name = std::string(name);
    // CNTK takes the names of the nodes for those of the outputs, and its files call the outputs otherwise.
    if (v.name() == name || reading_.static_axes || model_.producer == kCntk) return v;
  }
  return call("alias", {v}, std::initializer_list<NamedAttribute>{}, std::string(name));
}

void OnnxReader::run(const std::vector<NodeRecord>& nodes, Scope& scope, const Bindings* bindings) {
  for (const NodeRecord& n : nodes) {
    may_end(1000);
    if (++nodes_ > kMostNodes) throw value_error("functions of the file call one another far too often");
    auto located = [&](const Error& e) {
      if (e.has("node")) return e;
      return Error(e).node(cat(n.op, n.name.empty() ? "" : " ", n.name, ", inputs ",
                               join(n.inputs, ", ", [&](std::string_view s) { return said(s, scope); })));
    };
    try {
      node(n, scope, bindings);
    } catch (const Error& e) {
      throw located(e);
    } catch (const std::out_of_range&) {
      throw located(value_error("it has fewer inputs, axes or numbers than are read"));
    }
  }
}

std::string OnnxReader::said(std::string_view name, const Scope& scope) {
  const int v = scope.find(name);
  if (name.empty() || v < 0) return cat(name.empty() ? "(none)" : name);
  if (values_.list(v)) return cat(name, " : a sequence of tensors");
  const ReadValue& r = values_.at(v, "a text");
  return cat(
      name, " : ",
      r.variable ? r.variable.type().text() : cat(element_name(r.element), Shape(r.known->dims).text()));
}

void OnnxReader::node(const NodeRecord& n, Scope& scope, const Bindings* bindings) {
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
  if (list_node(n, in, scope)) return;
  if (composed_node(n, in, scope, bindings) || quantized_node(n, in, scope) || table_node(n, in, scope))
    return;
  if (n.domain.empty() && is_recurrence(n.op))
    return define_all(scope, n, read_recurrence(values_, n, in, closings_));
  if (size_node(n, in, scope)) return;
  if (auto f = functions_.find(key(n.domain, n.op)); f != functions_.end())
    return call_function(*f->second, n, in, scope, bindings);
  const ComputedRule* rule = computed_rule(n.domain.empty() ? std::string(n.op) : key(n.domain, n.op));
  if (rule && told_node(*rule, n, in, scope, bindings)) return;
  if (ruled_node(n, in, scope, bindings)) return;
  throw unsupported(n.domain.empty()
                        ? cat("ONNX's operator ", n.op, " cannot be read")
                        : cat("the operator ", n.op, " of the domain ", n.domain, " cannot be read"))
      .remedy(
          "docs/onnx.md lists the operators that are; a library of operators can say how others are "
          "read");
}

bool OnnxReader::ruled_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope,
                            const Bindings* bindings) {
  if (n.domain.empty() && (n.op == "Expand" || n.op == "ConstantOfShape") && expand_node(n, in, scope))
    return true;
  const ReadingRule* reading = reading_of(n.domain.empty() ? std::string(n.op) : key(n.domain, n.op));
  if (!reading) return false;
  std::vector<cantik_value> results(std::max<size_t>(n.outputs.size(), 1), -1);
  apply_rule(*reading, n, in, results, bindings);
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    if (n.outputs[i].empty()) continue;
    if (results[i] < 0) throw unsupported(cat("its output ", i, ", ", n.outputs[i], ", is not made here"));
    const int made = labelled(results[i], n);
    define(scope, n.outputs[i], made);
    name_result(made, n, in);
  }
  return true;
}

// An identity with a name marks a value of a run, as CNTK's Label does: it is found by its name.
int OnnxReader::labelled(int value, const NodeRecord& n) {
  ReadValue r = values_.at(value, "its name");
  if (n.op != "Identity" || n.name.empty() || r.constant || !r.variable || !r.variable.is_output())
    return value;
  r.variable =
      call("alias", {r.variable}, std::initializer_list<NamedAttribute>{}, std::string(n.name)).output();
  r.plain = r.rows = r.sequence = -1;
  return values_.add(std::move(r));
}

void OnnxReader::name_result(int value, const NodeRecord& n, const std::vector<cantik_value>& in) {
  const ReadValue& r = values_.at(value, "its name");
  if (n.name.empty() || !r.variable || !r.variable.is_output() || !r.variable.node()->name.empty()) return;
  for (int i : in)
    if (i >= 0 && values_.at(i, "its name").variable &&
        values_.at(i, "its name").variable.node() == r.variable.node())
      return;
  r.variable.node()->name = std::string(n.name);
}

void OnnxReader::apply_rule(const ReadingRule& reading, const NodeRecord& n,
                            const std::vector<cantik_value>& in, std::vector<cantik_value>& results,
                            const Bindings* bindings) {
  ReadHost host{values_, n,  bindings,        *reading.op, results, std::vector<int32_t>(results.size(), -1),
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
    const int32_t made_as = host.elements[i] >= 0 ? host.elements[i] : element;
    if (made_as == kBfloat16 && !values_.at(results[i], "a result").known)  // computed in float32
      results[i] = values_.call("round_to_element", {results[i]},
                                {{"element", Attribute(int64_t{kBfloat16})}, {"saturate", false}});
    if (leaves_whole_type(n, made_as)) results[i] = values_.as_whole(results[i], made_as);
    // the same value under another type is another value
    if (values_.at(results[i], "a result").element != made_as) {
      ReadValue copy = values_.at(results[i], "a result");
      copy.element = made_as;
      if (copy.known && copy.variable && is_whole(made_as) != copy.known->whole)
        copy.known = nullptr, copy.evaluated = false;
      results[i] = values_.add(std::move(copy));
    }
  }
}

void OnnxReader::read_by_form(cantik_onnx_node& c, const ReadingRule& reading) {
  OnnxNode n(&c);
  const cantik_onnx_form& form = *reading.form;
  const Operator& op = *reading.op;
  std::vector<Term> terms;
  for (int i = 0; i < n.inputs(); ++i)
    if (n.has(i)) terms.push_back(n.x(i));
  if (static_cast<int>(terms.size()) < op.inputs_min ||
      (op.inputs_max >= 0 && static_cast<int>(terms.size()) > op.inputs_max))
    throw value_failure(cat("the node has ", terms.size(), " inputs, and ", op.inputs_min, " are expected"));
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

void OnnxReader::computed_node(const ComputedRule& rule, const NodeRecord& n,
                               const std::vector<cantik_value>& in, Scope& scope) {
  if (values_.in_steps) throw unsupported(cat(n.op, " in the body of a loop cannot be read"));
  ComputedNode node{n, {}, {}, version_};
  std::vector<int> operands;
  for (int i : in) {
    const int v = i < 0 ? -1 : values_.with_lead(i, 0);
    operands.push_back(v);
    node.dims.push_back(v < 0 ? std::vector<int64_t>() : values_.dims(v));
    node.elements.push_back(v < 0 ? int32_t{kUndefined} : values_.at(v, "an operand").element);
  }
  Computed what = computed_from(rule, std::move(node));
  std::vector<int64_t> told = told_dims(n, operands);
  if (told.size() != what.results[0].dims.size()) told.clear();
  for (size_t k = 0; k < told.size(); ++k) what.results[0].dims[k] = std::max<int64_t>(told[k], -1);
  operands.resize(
      std::count_if(rule.inputs, rule.inputs + std::strlen(rule.inputs), [](char c) { return c != '?'; }),
      -1);
  const std::vector<int> made = computed(std::move(what), n, operands);
  if (!told.empty()) values_.set_dims(made[0], told);
  define_all(scope, n, made);
}

std::vector<int> OnnxReader::computed(Computed what, const NodeRecord& n, const std::vector<int>& in) {
  std::vector<Variable> operands;
  bool constant = true;
  for (int v : in) {
    operands.push_back(v < 0 ? Variable() : values_.variable(v));
    constant = constant && (v < 0 || values_.at(v, "an operand").constant);
  }
  const std::vector<ComputedResult> results = what.results;
  const Function f = computed_function(std::move(what), std::string(n.op), operands, std::string(n.name));
  std::vector<int> made;
  for (size_t i = 0; i < results.size(); ++i) {
    ReadValue v;
    v.variable = f.outputs()[i];
    v.element = results[i].element;
    v.constant = constant;
    made.push_back(values_.add(std::move(v)));
    values_.set_dims(made.back(), results[i].dims);
  }
  return made;
}

int OnnxReader::constant_node(const NodeRecord& n, const Bindings* bindings) {
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

void OnnxReader::define_all(Scope& scope, const NodeRecord& n, const std::vector<int>& results) {
  for (size_t i = 0; i < n.outputs.size(); ++i) {
    if (n.outputs[i].empty()) continue;
    if (i >= results.size() || results[i] < 0)
      throw unsupported(cat("its output ", i, ", ", n.outputs[i], ", is not made here"));
    define(scope, n.outputs[i], results[i]);
  }
}

bool OnnxReader::expand_node(const NodeRecord& n, const std::vector<cantik_value>& in, Scope& scope) {
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

void OnnxReader::call_function(const FileFunction& f, const NodeRecord& n,
                               const std::vector<cantik_value>& in, Scope& scope, const Bindings* around) {
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
    if (made < 0) throw value_error(cat("the function ", f.name, " does not make its output ", f.outputs[i]));
    define(scope, n.outputs[i], made);
  }
  --depth_;
}

Function read_model(ModelRecord model, const ModelFolder& place, const OnnxReading& reading) {
  if (model.producer == kCntk) say_in_onnx_terms(model.graph);
  const Function f = OnnxReader(model, place, reading).model();
  restore_attributes(model, f);
  return f;
}

}  // namespace cantik::onnx
