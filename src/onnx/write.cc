// From a function to a record: each of its functions behind those that it reads.
#include "onnx/write.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "graph/compose.h"
#include "graph/types.h"
#include "onnx/catalog.h"
#include "onnx/kept_attributes.h"
#include "onnx/numbers.h"
#include "onnx/writer.h"

namespace cantik::onnx {
namespace {

// A function on the way to those that it reads.
struct PendingFunction {
  std::shared_ptr<Node> node;
  std::vector<Variable> reads;
  int loop;          // -1: it stands in none
  const Node* unit;  // of a loop, its first function
  size_t next = 0;
};

constexpr int kOldest = 13, kUsual = 17, kNewest = 21;

// The versions of the file's own form that go with sets of operators.
int64_t ir_version_of(int operators) {
  return operators <= 14 ? 7 : operators <= 18 ? 8 : operators <= 20 ? 9 : 10;
}

bool has_form(const Node& n) {
  if (!n.op) return false;
  const cantik_onnx_form* form = form_of(*n.op);
  return form && (form->write || form->name);
}

}  // namespace

void OnnxWriter::model(const Function& f) {
  keep_attributes(f, record);
  record.ir_version = ir_version_of(options.version);
  record.producer = kCantik;
  record.operator_sets.push_back({"", options.version});
  record.has_graph = true;
  GraphRecord& g = record.graph;
  g.name = record.own(f.name().empty() ? "model" : f.name());
  for (const Variable& v : f.inputs())
    if (v.is_input()) {
      const int id = leaf(v, v.dtype());
      g.inputs.push_back(described(v.type(), name_of(id)));
      const int32_t element = v.node()->element;
      if (!is_held_by_another(element, v.dtype())) continue;
      g.inputs.back().type = element;
      values_[Key{v.node().get(), 0}] = cast(id, element_of_dtype(v.dtype()));
    } else if (v.is_placeholder()) {
      throw value_error(cat("the function still has the placeholder ", display_name(v)))
          .remedy("apply the function to input variables, and save what comes out");
    }
  find_loops(f.outputs());
  for (const Variable& v : f.outputs()) {
    int id = value(v);
    std::string name = fresh(v.name().empty() ? v.uid() : v.name());
    const int32_t element = v.is_output() ? v.node()->element : 0;
    const bool held = is_held_by_another(element, v.dtype());
    if (held)
      id = cast(id, element, &name);
    else if (!rename_result(id, name))
      id = node("Identity", "", {id}, {}, 1, {&name})[0];
    g.outputs.push_back(described(v.type(), name_of(id)));
    if (held) g.outputs.back().type = element;
  }
  drop_unused();
  // As CNTK's files tell which variable an output is.
  std::string doc = "<<<Uid, ONNXNodeName>>> pair:";
  for (size_t i = 0; i < g.outputs.size(); ++i)
    doc += cat(" <<<", f.outputs()[i].uid(), ", ", g.outputs[i].name, ">>>");
  g.doc = record.own(std::move(doc));
}

int OnnxWriter::value(const Variable& wanted) {
  const Variable v = seen(wanted);
  std::vector<PendingFunction> stack;
  auto enter = [&](const std::shared_ptr<Node>& n) {
    const int loop = loop_of(*n);
    const Node* unit = loop < 0 ? n.get() : loops_[loop].nodes[0].get();
    if (done_.count(unit)) return;
    if (!open_.insert(unit).second)
      throw value_error("a value is computed from itself without a delay").node(describe(*n));
    stack.push_back({n, loop < 0 ? read_by(*n) : read_by(loops_[loop]), loop, unit, 0});
  };
  if (v.is_output() && !is_inside(v)) enter(v.node());
  while (!stack.empty()) {
    PendingFunction& top = stack.back();
    if (top.next < top.reads.size()) {
      const Variable in = top.reads[top.next++];
      if (in.is_output() && !is_inside(in)) enter(in.node());
      continue;
    }
    const PendingFunction f = std::move(top);
    stack.pop_back();
    if (f.loop < 0)
      function(*f.node);
    else
      recurrence(loops_[f.loop]);
    done_.insert(f.unit);
  }
  return lookup(v, v.dtype());
}

int OnnxWriter::lookup(const Variable& wanted, DType dtype) {
  const Variable v = seen(wanted);
  if (inside_)
    if (const auto at = inside_->find(Key{v.node().get(), v.index()}); at != inside_->end())
      return at->second;
  if (!v.is_output()) return leaf(v, dtype);
  const auto at = values_.find(Key{v.node().get(), v.index()});
  if (at == values_.end()) throw runtime_error(cat("the value ", display_name(v), " has not been written"));
  return at->second;
}

int OnnxWriter::leaf(const Variable& v, DType dtype) {
  if (v.is_parameter() || v.is_constant()) {
    Tensor t = v.value().to_dense();
    if (dtype == DType::unknown) dtype = t.dtype();
    auto [at, made] = constants_.try_emplace({v.node().get(), dtype}, -1);
    if (made)
      at->second = tensor(t.dtype() == dtype ? t : t.cast(dtype), v.name().empty() ? v.uid() : v.name());
    return at->second;
  }
  if (!v.is_input()) throw value_error(cat("the placeholder ", display_name(v), " is not bound"));
  auto [at, made] = values_.try_emplace(Key{v.node().get(), 0}, -1);
  if (made) at->second = named(fresh(v.name().empty() ? v.uid() : v.name()));
  return at->second;
}

Variable OnnxWriter::seen(const Variable& v) {
  Variable at = v;
  for (;;) {
    const Node& n = *at.node();
    if (n.kind == Node::Kind::placeholder) {
      if (!n.bound) return at;
      at = n.bound;
    } else if (n.block && !has_form(n)) {
      at = outputs_of(n.block->root.handle())[at.index()];
      if (!n.name.empty())
        labels_.try_emplace(at.node().get(), n.name);
      else if (const auto l = labels_.find(&n); l != labels_.end())
        labels_.try_emplace(at.node().get(), l->second);
    } else {
      return at;
    }
  }
}

std::vector<Variable> arguments_of(const Node& n) {
  std::vector<Variable> list;
  for (const auto& [inside, outside] : n.block->arguments) list.push_back(outside);
  return list;
}

std::vector<Variable> OnnxWriter::read_by(const Node& n) {
  std::vector<Variable> list;
  for (const Variable& v : n.block ? arguments_of(n) : variables(n.inputs)) list.push_back(seen(v));
  return list;
}

void OnnxWriter::function(const Node& n) {
  const auto label = labels_.find(&n);
  current = around_ + (n.name.empty() && label != labels_.end() ? label->second : n.name);
  const size_t before = record.graph.nodes.size();
  try {
    write(n);
  } catch (const Error& e) {
    rethrow_with(e, n);
  }
  if (record.graph.nodes.size() > before) call_last(current);
}

void OnnxWriter::write(const Node& n) {
  if (n.is_combine()) return;
  if (n.object && write_computed(n)) return;
  if (n.foreign || n.object || !n.op)
    throw unsupported(cat("the function ", n.op ? n.op->name : n.name, " cannot be written to ONNX's files"));
  const cantik_onnx_form* form = form_of(*n.op);
  if (form && (form->write || form->name)) return write_form(n, *form);
  if (n.op->compose || n.op->lower || !n.op->expression.empty()) {
    const std::vector<Variable> in = resolved_inputs(n);
    const Function body = spell(*n.op, n.attributes, in, {});
    if (body.root().node()->op == n.op)  // an opcode of its own
      throw unsupported(cat("the operator ", n.op->name, " cannot be written to ONNX's files"));
    return write_body(n, body);
  }
  throw unsupported(cat("the operator ", n.op->name, " cannot be written to ONNX's files"))
      .remedy(
          "docs/onnx.md lists the operators that are; .onnx_write in the operator's file says how one is");
}

void OnnxWriter::write_body(const Node& n, const Function& body) {
  bodies_.push_back(body);
  const std::string around = std::exchange(around_, current);
  std::vector<int> made;
  for (const Variable& v : body.outputs()) made.push_back(value(v));
  current = std::exchange(around_, around);
  keep(n, made);
}

void OnnxWriter::keep(const Node& n, const std::vector<int>& made) {
  std::map<Key, int>& to = inside_ ? *inside_ : values_;
  for (size_t i = 0; i < made.size(); ++i) to[Key{&n, static_cast<uint32_t>(i)}] = made[i];
}

WrittenModel write_model(const Function& f, const OnnxOptions& options) {
  const bool chooses = options.version == 0;
  if (!chooses && (options.version < kOldest || options.version > kNewest))
    throw value_error(cat("models are written in versions ", kOldest, " to ", kNewest,
                          " of ONNX's operators, not ", options.version));
  OnnxOptions tried = options;
  if (chooses) tried.version = kUsual;
  std::optional<Error> first;
  for (;; ++tried.version) {
    try {
      WrittenModel model;
      OnnxWriter(tried, model).model(f.as_composite());
      return model;
    } catch (const Error& e) {
      if (!chooses || e.kind() != ErrorKind::unsupported) throw;
      if (!first) first = e;
      if (tried.version == kNewest) throw *first;
    }
  }
}

}  // namespace cantik::onnx
