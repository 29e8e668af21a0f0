// Walks through networks, and what is found on them.
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <cantik/inspect.h>

#include "formats/attributes.h"
#include "graph/node.h"

namespace cantik {
namespace {

// A block's own arguments are visited outside it.
bool is_bound(const Variable& v) {
  return v.is_placeholder() && v.node()->is_block_argument && computed(v) != v;
}

struct Visit {
  GraphNode at;
  int depth;
};

Visit visit_of(const Variable& v, int depth) {
  return v.is_output() ? Visit{{.function = v.owner()}, depth} : Visit{{.leaf = v}, depth};
}

}  // namespace

std::vector<GraphNode> walk(const Function& root, int depth) {
  std::vector<GraphNode> found;
  std::unordered_set<Variable> seen_leaves;
  std::unordered_set<const Node*> seen;
  std::deque<Visit> open{{{.function = root.root()}, depth}};
  while (!open.empty()) {
    const Visit s = std::move(open.front());
    open.pop_front();
    if (!s.at.function) {
      if (seen_leaves.insert(s.at.leaf).second) found.push_back(s.at);
      continue;
    }
    const Function& f = s.at.function;
    if (!seen.insert(f.node().get()).second) continue;
    found.push_back(s.at);
    if (f.is_block() && s.depth != 0) {
      for (const auto& [inside, outside] : f.block_arguments())
        if (!is_bound(outside)) open.push_back(visit_of(outside, s.depth - 1));
      open.push_back({{.function = f.block_root()}, s.depth - 1});
      continue;
    }
    const std::vector<Variable> in = f.inputs();
    for (size_t i = in.size(); i-- > 0;)
      if (!is_bound(in[i])) open.push_front(visit_of(in[i], s.depth));
  }
  return found;
}

std::vector<Function> functions_of(const Function& root, int depth) {
  std::vector<Function> list;
  for (GraphNode& n : walk(root, depth))
    if (n.function) list.push_back(std::move(n.function));
  return list;
}

std::optional<GraphNode> find_by_uid(const Function& root, std::string_view uid, int depth) {
  for (GraphNode& n : walk(root, depth))
    if (n.uid() == uid) return std::move(n);
  return {};
}

std::vector<GraphNode> find_nodes(const Function& root, std::string_view name, int depth) {
  std::vector<GraphNode> list = walk(root, depth);
  std::erase_if(list, [&](const GraphNode& n) { return n.name() != name; });
  return list;
}

std::vector<Variable> arguments_in_file_order(const Function& f) {
  std::vector<Variable> list =
      f.is_composite() ? leaves(f.node(), OperandOrder::kept) : operands_of(*f.node(), OperandOrder::kept);
  std::erase_if(list, [](const Variable& v) { return v.is_parameter() || v.is_constant(); });
  return list;
}

std::optional<Dictionary> file_attributes(const Function& f) {
  const Node& node = *f.node();
  if (f.is_composite() || !node.op || node.object || node.op->named("cntk").empty()) return {};
  return write_attributes(node);
}

}  // namespace cantik
