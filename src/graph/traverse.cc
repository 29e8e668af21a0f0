// Walking graphs: through bound placeholders, in and out of blocks.
#include <algorithm>
#include <functional>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/node.h"

namespace cantik {

bool Node::is_combine() const { return op && op->name == "combine"; }

Variable resolved(const Variable& v) {
  Variable at = v;
  while (at.node()->kind == Node::Kind::placeholder && !at.node()->is_block_argument) {
    if (!at.node()->bound) break;
    at = at.node()->bound;
  }
  return at;
}

Variable computed(const Variable& v) {
  Variable at = v;
  for (;;) {
    const Node& n = *at.node();
    if (n.kind == Node::Kind::placeholder) {
      if (!n.bound) return at;
      at = n.bound;
    } else if (n.block) {
      at = outputs_of(n.block->root.handle())[at.index()];
    } else {
      return at;
    }
  }
}

// Every new graph is walked through: no handle is copied.
std::unordered_set<Node*> nodes_below(Node* root) {
  std::unordered_set<Node*> all;
  std::vector<Node*> open{root};
  auto enter = [&](Node* n) {
    while (n->kind == Node::Kind::placeholder && !n->is_block_argument && n->bound) n = n->bound.node();
    open.push_back(n);
  };
  while (!open.empty()) {
    Node* n = open.back();
    open.pop_back();
    if (!all.insert(n).second) continue;
    for (const Edge& e : n->inputs) enter(e.node());
    if (!n->block) continue;
    enter(n->block->root.node());
    for (const auto& [inside, outside] : n->block->arguments) enter(outside.node());
  }
  return all;
}

// As CNTK shows it.
DType Variable::presumed_dtype() const {
  std::unordered_set<const Node*> seen;
  std::vector<Variable> open{computed(*this)};
  DType of_constant = DType::unknown;  // they follow the others
  while (!open.empty()) {
    const Variable at = open.back();
    open.pop_back();
    if (at.dtype() != DType::unknown) {
      if (!at.is_constant()) return at.dtype();
      if (of_constant == DType::unknown) of_constant = at.dtype();
      continue;
    }
    if (!at.is_output() || !seen.insert(at.node().get()).second) continue;
    const std::vector<Edge>& in = at.node()->inputs;
    for (size_t i = in.size(); i-- > 0;) open.push_back(computed(in[i]));
  }
  return of_constant;
}

std::vector<std::pair<Variable, Variable>> shown_arguments(const Node& block) {
  std::vector<std::pair<Variable, Variable>> list;
  for (const auto& [inside, outside] : block.block->arguments) list.emplace_back(inside, resolved(outside));
  return block.op ? block.op->to_file_order(list) : list;
}

std::vector<Variable> block_inputs(const Node& node) {
  std::vector<Variable> list;
  for (const Variable& v : leaves(node.block->root.handle(), OperandOrder::kept)) {
    bool is_argument = std::any_of(node.block->arguments.begin(), node.block->arguments.end(),
                                   [&](auto& a) { return a.first == v; });
    if (!is_argument) list.push_back(v);
  }
  for (const auto& [inside, outside] : shown_arguments(node)) list.push_back(outside);
  return list;
}

std::vector<Variable> resolved_inputs(const Node& node) {
  if (node.block) return block_inputs(node);
  std::vector<Variable> list;
  list.reserve(node.inputs.size());
  for (const Edge& e : node.inputs) list.push_back(resolved(e));
  return list;
}

std::vector<Variable> operands_of(const Node& n, OperandOrder order) {
  std::vector<Variable> in = resolved_inputs(n);
  if (order == OperandOrder::kept && !n.block && n.op->facts.file.order == std::vector<size_t>{1, 0} &&
      in.size() == 2)
    std::swap(in[0], in[1]);
  return in;
}

std::vector<Variable> leaves(const std::shared_ptr<Node>& root, OperandOrder order) {
  std::vector<Variable> found;
  std::unordered_set<Variable> known;
  std::unordered_set<const Node*> seen{root.get()};
  struct Level {
    std::vector<Variable> in;
    size_t next;
  };
  std::vector<Level> stack;
  stack.push_back({operands_of(*root, order), 0});
  // CNTK's order
  if (root->is_combine())
    std::stable_partition(stack[0].in.begin(), stack[0].in.end(),
                          [](const Variable& v) { return !v.is_output(); });
  while (!stack.empty()) {
    Level& level = stack.back();
    if (level.next == level.in.size()) {
      stack.pop_back();
      continue;
    }
    Variable v = level.in[level.next++];
    if (!v.is_output()) {
      if (known.insert(v).second) found.push_back(v);
    } else if (seen.insert(v.node().get()).second) {
      stack.push_back({operands_of(*v.node(), order), 0});
    }
  }
  return found;
}

std::vector<Variable> outputs_of(const std::shared_ptr<Node>& node) {
  if (node->is_combine()) return resolved_inputs(*node);
  std::vector<Variable> list;
  for (uint32_t i = 0; i < node->types.size(); ++i) list.emplace_back(node, i);
  return list;
}

void preorder(const std::shared_ptr<Node>& root, const std::function<bool(const std::shared_ptr<Node>&)>& f) {
  std::unordered_set<const Node*> seen;
  std::vector<std::shared_ptr<Node>> stack{root};
  while (!stack.empty()) {
    std::shared_ptr<Node> n = stack.back();
    stack.pop_back();
    if (!seen.insert(n.get()).second) continue;
    if (f(n)) return;
    std::vector<Variable> in = resolved_inputs(*n);
    for (size_t i = in.size(); i-- > 0;)
      if (in[i].is_output()) stack.push_back(in[i].node());
  }
}

}  // namespace cantik
