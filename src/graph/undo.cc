#include "graph/undo.h"

namespace cantik {

namespace {
bool may_learn(const Type& t) { return !t.is_known() || t.shape.has_inferred(); }
}  // namespace

Undo::Undo(const std::shared_ptr<Node>& root) { keep_open(root); }

void Undo::keep_open(const std::shared_ptr<Node>& root) {
  preorder(root, [this](const std::shared_ptr<Node>& n) {
    for (const Variable& v : resolved_inputs(*n))
      if (v.node()->is_leaf() && may_learn(v.type())) leaves_.emplace_back(v, v.type());
    if (!n->block) return false;
    if (n->block->provisional)
      open_blocks_.emplace_back(n.get(), *n->block);
    else
      keep_open(n->block->root.handle());
    return false;
  });
}

void Undo::keep_operands(Node& n) {
  operands_.push_back({&n, n.inputs, {}});
  if (n.block) operands_.back().arguments = n.block->arguments;
}

void Undo::take_back() {
  for (auto kept = operands_.rbegin(); kept != operands_.rend(); ++kept) {
    kept->node->inputs = kept->inputs;
    if (!kept->node->block) continue;
    kept->node->block->arguments = kept->arguments;
    for (const auto& [inside, outside] : kept->arguments) inside.node()->bound = outside;
  }
  for (const auto& [leaf, type] : leaves_) leaf.node()->types[0] = type;
  for (auto& [node, block] : open_blocks_) *node->block = std::move(block);
}

}  // namespace cantik
