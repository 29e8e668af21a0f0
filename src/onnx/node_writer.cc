#include "onnx/node_writer.h"

#include <algorithm>
#include <functional>

#include <cantik/error.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "onnx/numbers.h"

namespace cantik::onnx {

NodeWriter::NodeWriter(const OnnxOptions& options, WrittenModel& to)
    : options(options), record(to.record), model_(to) {}

std::string NodeWriter::fresh(const std::string& wanted) {
  std::string s = wanted.empty() ? "value" : wanted;
  for (int i = 1; !taken_.insert(s).second; ++i) s = cat(wanted, "_", i);
  return s;
}

int NodeWriter::named(const std::string& name) {
  names_.push_back(record.own(name));
  return static_cast<int>(names_.size()) - 1;
}

ValueRecord NodeWriter::described(const Type& t, std::string_view name) {
  if (!t.is_known())
    throw value_error(cat("the type of ", name, " is not known"))
        .remedy("apply the function to input variables");
  ValueRecord r;
  r.name = name;
  r.type = element_of_dtype(t.dtype);
  r.is_tensor = r.has_shape = true;
  if (t.axes.has_sequence()) r.dims.push_back({-1, record.own(cat("sequence_", t.axes.sequence_id()))});
  if (t.axes.has_batch()) r.dims.push_back({-1, kBatchSize});
  for (int64_t d : t.shape)
    r.dims.push_back(d >= 0 ? Dimension{d, {}} : Dimension{-1, record.own(cat("free_", ++free_))});
  return r;
}

ValueRecord NodeWriter::bare(int value, DType dtype) const {
  ValueRecord r;
  r.name = name_of(value);
  r.type = element_of_dtype(dtype);
  r.is_tensor = true;
  return r;
}

int NodeWriter::tensor(const Tensor& t, const std::string& name) {
  const Tensor& kept = model_.tensors.emplace_back(t);
  TensorRecord r;
  const int id = named(fresh(name));
  r.name = name_of(id);
  r.type = element_of_dtype(kept.dtype());
  r.dims.assign(kept.shape().begin(), kept.shape().end());
  r.raw = {static_cast<const char*>(kept.raw()), kept.bytes()};
  record.graph.initializers.push_back(std::move(r));
  return id;
}

int NodeWriter::whole_numbers(const std::vector<int64_t>& dims, const std::vector<int64_t>& numbers) {
  auto [at, made] = integers_.try_emplace({dims, numbers}, -1);
  if (!made) return at->second;
  TensorRecord r;
  at->second = named(fresh("numbers"));
  r.name = names_[at->second];
  r.type = kInt64;
  r.dims = dims;
  r.raw = record.own(
      std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(int64_t)));
  record.graph.initializers.push_back(std::move(r));
  return at->second;
}

void NodeWriter::use_set(const std::string& domain, int64_t version) {
  auto at = std::find_if(record.operator_sets.begin(), record.operator_sets.end(),
                         [&](const auto& s) { return s.first == domain; });
  if (at == record.operator_sets.end())
    record.operator_sets.push_back({record.own(domain), version});
  else
    at->second = std::max(at->second, version);
}

std::vector<int> NodeWriter::node(const std::string& op, const std::string& domain,
                                  const std::vector<int>& in, std::vector<AttributeRecord> attributes,
                                  int outputs, const std::vector<const std::string*>& output_names) {
  may_end(1000);
  NodeRecord r;
  r.op = record.own(op);
  r.domain = record.own(domain);
  if (!domain.empty()) use_set(domain, 1);
  std::string called;
  do called = cat(current.empty() ? op : current, "_", ++count_);
  while (!node_names_.insert(called).second);
  r.name = record.own(called);
  for (int i : in) {
    if (i >= static_cast<int>(names_.size()))
      throw runtime_error(cat("an input of the node ", op, " is a value that no node has made"))
          .remedy("give values that x(), node() and the constants of the writer return");
    r.inputs.push_back(i < 0 ? std::string_view() : names_[static_cast<size_t>(i)]);
  }
  while (!r.inputs.empty() && r.inputs.back().empty()) r.inputs.pop_back();
  std::vector<int> made;
  for (int i = 0; i < outputs; ++i) {
    const std::string name =
        static_cast<size_t>(i) < output_names.size() ? *output_names[i] : fresh(cat(op, "_", count_, "_", i));
    made.push_back(named(name));
    r.outputs.push_back(names_.back());
  }
  r.attributes = std::move(attributes);
  record.graph.nodes.push_back(std::move(r));
  return made;
}

void NodeWriter::call_last(const std::string& name) {
  if (!name.empty() && node_names_.insert(name).second) record.graph.nodes.back().name = record.own(name);
}

namespace {

void replace(std::vector<std::string_view>& names, std::string_view old, std::string_view name) {
  std::replace(names.begin(), names.end(), old, name);
}

void replace(GraphRecord& g, std::string_view old, std::string_view name) {
  for (NodeRecord& n : g.nodes) {
    replace(n.inputs, old, name);
    replace(n.outputs, old, name);
    for (AttributeRecord& a : n.attributes)
      for (GraphRecord& inner : a.graphs) replace(inner, old, name);
  }
  for (ValueRecord& v : g.outputs)
    if (v.name == old) v.name = name;
}

}  // namespace

bool NodeWriter::rename_result(int value, const std::string& name) {
  const std::string_view old = name_of(value);
  const auto is_old = [&](std::string_view s) { return s == old; };
  const GraphRecord& g = record.graph;
  if (std::any_of(g.outputs.begin(), g.outputs.end(), [&](const ValueRecord& v) { return is_old(v.name); }) ||
      std::none_of(g.nodes.begin(), g.nodes.end(), [&](const NodeRecord& n) {
        return std::any_of(n.outputs.begin(), n.outputs.end(), is_old);
      }))
    return false;
  names_[static_cast<size_t>(value)] = record.own(name);
  replace(record.graph, old, name_of(value));
  return true;
}

int NodeWriter::slice(int v, int64_t begin, int64_t end) {
  return node("Slice", "",
              {v, whole_numbers({1}, {begin}), whole_numbers({1}, {end}), whole_numbers({1}, {0})}, {}, 1)[0];
}

int NodeWriter::cast(int v, int64_t element, const std::string* name) {
  std::vector<const std::string*> names;
  if (name) names.push_back(name);
  return node("Cast", "", {v}, {number_attribute("to", element)}, 1, names)[0];
}

AttributeRecord NodeWriter::attribute(const std::string& name, const cantik_attribute& a) {
  using Kind = AttributeRecord::Kind;
  AttributeRecord r;
  r.name = record.own(name);
  switch (a.kind) {
    case CANTIK_BOOL:
    case CANTIK_INT: r.kind = Kind::integer, r.integer = a.as.integer; break;
    case CANTIK_REAL: r.kind = Kind::real, r.real = a.as.real; break;
    case CANTIK_TEXT:
      r.text = record.own(a.as.text);
      r.kind = Kind::text;
      // several texts
      if (r.text.starts_with(';')) {
        r.kind = Kind::texts;
        for (size_t at = 1; at <= r.text.size();) {
          const size_t end = std::min(r.text.find(';', at), r.text.size());
          r.texts.push_back(r.text.substr(at, end - at));
          at = end + 1;
        }
      }
      break;
    case CANTIK_INTS:
      r.kind = Kind::integers, r.integers.assign(a.as.integers, a.as.integers + a.count);
      break;
    case CANTIK_REALS: r.kind = Kind::reals, r.reals.assign(a.as.reals, a.as.reals + a.count); break;
    default: break;
  }
  return r;
}

void NodeWriter::drop_unused() {
  std::unordered_set<std::string_view> read;
  const std::function<void(const GraphRecord&)> note = [&](const GraphRecord& g) {
    for (const NodeRecord& n : g.nodes) {
      read.insert(n.inputs.begin(), n.inputs.end());
      for (const AttributeRecord& a : n.attributes)
        for (const GraphRecord& inner : a.graphs) note(inner);
    }
  };
  note(record.graph);
  std::erase_if(record.graph.initializers, [&](const TensorRecord& t) { return !read.count(t.name); });
}

}  // namespace cantik::onnx
