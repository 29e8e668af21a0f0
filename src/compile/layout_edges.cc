// Operands that are read for their layout alone do not make a node wait for a cycle: they read the layout where it comes from.
//
// broadcast_as(x, p), where p depends on the result, is no recurrence: nothing but lengths is taken from p. Left as it is the edge would
// close a cycle that is no loop, and the nodes on it would run in an order that is none.
#include <algorithm>

#include "base/components.h"
#include "compile/passes.h"

namespace cantik::ir {
namespace {

class Untie {
 public:
  explicit Untie(Graph& g) : g_(g), component_(g.nodes.size(), -1) {}

  void run() {
    int32_t count = 0;
    for (const std::vector<NodeId>& nodes : components(g_.order(), [&](NodeId id) { return operands(id); })) {
      for (NodeId id : nodes) component_[static_cast<size_t>(id)] = count;
      ++count;
      if (nodes.size() > 1) for (NodeId id : nodes) untie(id);
    }
  }

 private:
  std::vector<NodeId> operands(NodeId id) const {
    std::vector<NodeId> list;
    for (ValueId v : g_.node(id).in)
      if (NodeId p = g_.value(v).producer; p >= 0) list.push_back(p);
    return list;
  }
  bool is_within(ValueId v, NodeId id) const {
    NodeId p = g_.value(v).producer;
    return p >= 0 && component_[static_cast<size_t>(p)] == component_[static_cast<size_t>(id)];
  }

  void untie(NodeId id) {
    for (size_t i = 0; i < g_.node(id).in.size(); ++i) {
      Node& n = g_.node(id);
      if (n.kind != NodeKind::call || !n.op->reads_layout_only(i) || !is_within(n.in[i], id)) continue;
      if (ValueId other = same_rows_outside(n.in[i], id); other >= 0) n.in[i] = other;
    }
  }

  // What v takes its rows from, first operands first, until it is outside of the cycle; -1 if that is nowhere.
  ValueId same_rows_outside(ValueId v, NodeId id) const {
    const Axes axes = g_.type(v).axes;
    std::vector<ValueId> open{v};
    std::vector<char> seen(g_.values.size(), 0);
    while (!open.empty()) {
      ValueId at = open.back();
      open.pop_back();
      if (seen[static_cast<size_t>(at)]++ || !(g_.type(at).axes == axes)) continue;
      if (!is_within(at, id)) return at;
      const Node& p = *g_.producer(at);
      if (p.kind == NodeKind::call && p.op->has(CANTIK_OWN_AXIS)) continue;
      for (size_t i = p.in.size(); i-- > 0;) open.push_back(p.in[i]);
    }
    return -1;
  }

  Graph& g_;
  std::vector<int32_t> component_;
};

}  // namespace

void untie_layouts(Graph& g) { Untie(g).run(); }

}  // namespace cantik::ir
