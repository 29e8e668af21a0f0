#include "graph/presume.h"

#include <algorithm>
#include <string>
#include <vector>

#include "graph/operator.h"
#include "graph/types.h"

namespace cantik {
namespace {

// An axis of one number may become longer by broadcasting, and one that is inferred is not known itself.
bool stays(const Shape& s) {
  return s.rank() > 0 && std::none_of(s.begin(), s.end(), [](int64_t d) { return d == 1 || d == kInferred; });
}

// What the known operands tell, if one of them has a batch.
Type told_by(const std::vector<Type>& operands, const std::string& op) {
  Type told = Type::unknown();
  std::vector<Type> known;
  bool has_batch = false;
  for (const Type& t : operands) {
    if (t.shape.is_known()) known.push_back({t.dtype, t.shape, Axes(), t.storage, t.entries});
    if (!t.axes.is_known()) continue;
    has_batch |= t.axes.has_batch();
    if (t.axes.has_sequence()) told.axes = t.axes;
  }
  if (!has_batch) return told;
  const Type all = broadcast(known, op, nullptr);
  told.dtype = all.dtype;
  if (stays(all.shape)) told.shape = all.shape;
  return told;
}

bool is_known(const Type& t) { return t.shape.is_known() && t.axes.is_known(); }

}  // namespace

bool presume(Node& n) {
  if (n.is_leaf() || n.block || !n.op || n.op->infer || n.is_combine() || n.foreign) return false;
  if (std::all_of(n.types.begin(), n.types.end(), is_known)) return false;
  Type told;
  try {
    told = told_by(operand_types(*n.op, resolved_inputs(n)), n.op->name);
  } catch (const Error& e) {
    rethrow_with(e, n);
  }
  told.storage = Storage::dense;
  bool changed = false;
  for (Type& t : n.types) changed |= learn(t, told);
  n.presumed |= changed;
  return changed;
}

void presume_graph(const std::shared_ptr<Node>& root) {
  std::vector<Node*> order;
  bool open = false;
  preorder(root, [&](const std::shared_ptr<Node>& n) {
    order.push_back(n.get());
    for (const Variable& v : resolved_inputs(*n)) open |= v.is_placeholder();
    return false;
  });
  if (!open) return;
  std::reverse(order.begin(), order.end());
  for (bool changed = true; changed;) {
    changed = false;
    for (Node* n : order) {
      changed |= infer(*n);
      changed |= presume(*n);
    }
  }
}

void forget_presumed(const std::shared_ptr<Node>& root) {
  const auto forget = [](Node& n) {
    if (!n.presumed) return;
    n.presumed = false;
    n.types.assign(n.types.size(), Type::unknown());
  };
  preorder(root, [&](const std::shared_ptr<Node>& n) {
    if (n->block && n->presumed) {
      for (const auto& [inside, outside] : n->block->arguments) forget(*Variable(inside).node());
      forget_presumed(n->block->root.handle());
    }
    forget(*n);
    return false;
  });
}

}  // namespace cantik
