// Type inference: each node's rule, and the fixed point over a graph that placeholders or loops left open.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "graph/compose.h"
#include "graph/loops.h"
#include "graph/types.h"

namespace cantik {
namespace {

// What a placeholder stands for decides its type.
bool infer_placeholder(Node& n) {
  Variable at = computed(Variable(n.handle()));
  if (at.node().get() == &n) return false;
  return learn(n.types[0], at.type());
}

// A leaf has the element type that it shares with the operator's other operands.
bool learn_element_types(const std::vector<Variable>& in, const std::vector<Type>& types) {
  bool changed = false;
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i].node()->is_leaf())
      changed |=
          learn(in[i].node()->types[0], {types[i].dtype, Shape::unknown(), Axes::unknown(), Storage::dense});
  return changed;
}

// A parameter has one size, which a free axis of an operand does not give.
void refuse_free(const Node& leaf, const Type& found) {
  if (leaf.kind != Node::Kind::parameter || !found.shape.is_known() || !found.shape.has_free()) return;
  throw value_error(cat("the size of ", Variable(leaf.handle()).text(),
                        " cannot be inferred from an axis that is free (of any size)"))
      .remedy("give the input a size along this axis, or the parameter its shape");
}

bool infer_block(Node& n) {
  bool changed = false;
  if (n.op) {
    std::vector<Variable> in;
    for (const auto& [inside, outside] : n.block->arguments) in.push_back(resolved(outside));
    changed |= learn_element_types(in, operand_types(*n.op, in));
  }
  for (auto& [inside, outside] : n.block->arguments) {
    const Variable given = resolved(outside);
    changed |= learn(inside.node()->types[0], given.type());
    inside.node()->presumed |= given.node()->presumed;
    n.presumed |= given.node()->presumed;
  }
  if (n.block->provisional) {
    complete_block(n);
    if (n.block->provisional) return changed;
    changed = true;
  }
  std::vector<Variable> outs = outputs_of(n.block->root.handle());
  // A copy knows its arguments from the beginning; what its loops carry is found here.
  if (changed ||
      std::any_of(outs.begin(), outs.end(), [](const Variable& v) { return !v.type().is_known(); }))
    changed |= infer_graph(n.block->root.handle());
  // what the inside finds a parameter to be
  for (const auto& [inside, outside] : n.block->arguments) {
    const Variable given = resolved(outside);
    if ((given.is_parameter() || given.is_placeholder()) && given.shape().has_inferred())
      changed |= learn(given.node()->types[0],
                       {DType::unknown, inside.node()->types[0].shape, Axes::unknown(), Storage::dense});
  }
  n.types.resize(outs.size(), Type::unknown());
  for (size_t i = 0; i < outs.size(); ++i) changed |= learn(n.types[i], outs[i].type());
  return changed;
}

}  // namespace

void refuse_batch_beside_sequences(const Node& n) {
  if (!n.op->has(CANTIK_SAME_AXES)) return;
  std::optional<Axes> axes;
  for (const Variable& v : resolved_inputs(n)) {
    const Axes& mine = v.type().axes;
    if (!mine.is_known() || mine.size() == 0) continue;
    if (axes && axes->size() != mine.size())
      throw runtime_error(cat(n.op->has(CANTIK_HIDDEN) ? "" : cat("Operation '", n.op->name, "': "),
                              "Operand '", v.text(),
                              "' has dynamic axes, that do not match the dynamic axes '", axes->text(),
                              "' of the other operands."))
          .remedy(
              "take one step of each sequence, as sequence.last(x) does, or repeat the other operand at each "
              "step by sequence.broadcast_as(x, like)");
    axes = mine;
  }
}

namespace {

// What follows from a type that is presumed is presumed, too.
bool reads_presumed(const std::vector<Variable>& in) {
  return std::any_of(in.begin(), in.end(), [](const Variable& v) { return v.node()->presumed; });
}

// A sequence axis of the result's own is chosen once, then the function keeps it.
void keep_axis(Node& n, const Type& y) {
  if (!y.axes.is_known()) return;
  for (size_t i = 0; i < n.op->fields.size(); ++i)
    if (n.op->fields[i].role == CANTIK_NEW_AXIS && n.attributes[i].integer() == axis_code::kNone)
      n.attributes[i] = y.axes.has_sequence() ? int64_t{y.axes.sequence_id()} : axis_code::kBatch;
}

}  // namespace

bool follows(const Variable& constant, DType type) {
  if (type == DType::float32 || type == DType::float64 || type == constant.dtype()) return true;
  if (constant.dtype() == DType::unknown) return true;  // it has no number yet: this will be its type
  if (type != DType::float16 || !constant.shape().is_static() || constant.shape().elements() != 1)
    return false;
  const Tensor number = constant.value();
  return number.cast(DType::float16).at(0) == number.at(0);
}

void share_element_type(const Operator& op, const std::vector<Variable>& in, std::vector<Type>& types) {
  if (in.size() < 2) return;
  // What an effect changes stays as it is, be it a constant.
  const size_t fixed = op.has(CANTIK_EFFECT) ? 1 : 0;
  DType common = fixed ? types[0].dtype : DType::unknown;
  bool open = false;  // an operand that is not a constant, whose element type will be known later
  for (size_t i = fixed; i < in.size() && common == DType::unknown; ++i)
    if (!in[i].is_constant()) common = types[i].dtype, open |= common == DType::unknown;
  const bool shared = common == DType::float32 || common == DType::float64 || common == DType::float16;
  if (!shared && !(open && common == DType::unknown)) return;
  for (size_t i = fixed; i < in.size(); ++i)
    if ((in[i].is_constant() && (!shared || follows(in[i], common))) ||
        (in[i].is_parameter() && types[i].dtype == DType::unknown))
      types[i].dtype = common;
}

std::vector<Type> operand_types(const Operator& op, const std::vector<Variable>& in) {
  std::vector<Type> types;
  types.reserve(in.size());
  for (const Variable& v : in) types.push_back(v.type());
  share_element_type(op, in, types);
  return types;
}

bool infer(Node& n) {
  if (n.kind == Node::Kind::placeholder) return infer_placeholder(n);
  if (n.is_leaf()) return false;
  if (n.op) refuse_batch_beside_sequences(n);
  if (n.block) return infer_block(n);
  if (n.op->compose && !n.op->infer) return false;  // the open inside of a provisional block
  std::vector<Variable> in = resolved_inputs(n);
  if (n.is_combine()) return false;
  std::vector<Type> types = operand_types(*n.op, in);
  bool changed = learn_element_types(in, types);
  Inferred result;
  try {
    const std::function<std::string(int)> name = [&](int i) { return computed(in[i]).uid(); };
    result = infer_types(*n.op, n.attributes, types, &name);
    if (!result.outputs.empty()) keep_axis(n, result.outputs[0]);
    for (auto& [field, value] : result.settled) n.attributes[static_cast<size_t>(field)] = std::move(value);
    for (size_t i = 0; i < in.size(); ++i) {
      if (!result.refined[i]) continue;
      Node& leaf = *in[i].node();
      if (!leaf.is_leaf()) continue;
      refuse_free(leaf, *result.refined[i]);
      changed |= learn(leaf.types[0], *result.refined[i]);
    }
  } catch (const Error& e) {
    rethrow_with(e, n);
  }
  // A constant made before the element type was known has that of the result's other operands.
  for (const Variable& v : in)
    if (v.node()->stored && v.dtype() == DType::unknown)
      for (const Type& t : types)
        if (v.dtype() == DType::unknown && t.dtype != DType::unknown)
          changed |=
              learn(v.node()->types[0], {t.dtype, Shape::unknown(), Axes::unknown(), Storage::dense, 0});
  n.types.resize(result.outputs.size(), Type::unknown());
  for (size_t i = 0; i < n.types.size(); ++i) changed |= learn(n.types[i], result.outputs[i]);
  n.presumed |= reads_presumed(in);
  return changed;
}

bool infer_graph(const std::shared_ptr<Node>& root) {
  // Operands first; round a loop until nothing new is learnt.
  std::vector<Node*> order;
  std::unordered_map<const Node*, bool> seen;  // whether all below has been
  bool loops = false;
  std::vector<std::pair<std::shared_ptr<Node>, bool>> stack{{root, false}};
  while (!stack.empty()) {
    auto [n, done] = stack.back();
    stack.pop_back();
    if (done) {
      order.push_back(n.get());
      seen[n.get()] = true;
      continue;
    }
    if (auto [at, is_new] = seen.emplace(n.get(), false); !is_new) {
      loops |= !at->second;
      continue;
    }
    stack.push_back({n, true});
    std::vector<Variable> in = resolved_inputs(*n);
    for (size_t i = in.size(); i-- > 0;)
      if (in[i].is_output()) stack.push_back({in[i].node(), false});
  }
  bool any = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (Node* n : order) changed |= infer(*n);
    any |= changed;
    if (changed || !loops) continue;
    bool open = std::any_of(order.begin(), order.end(), [](Node* n) {
      return std::any_of(n->types.begin(), n->types.end(), [](const Type& t) { return !t.is_known(); });
    });
    if (!open || !infer_delays(root)) continue;
    for (Node* n : order)
      if (n->block) infer_graph(n->block->root.handle());
    changed = any = true;
  }
  return any;
}

}  // namespace cantik
