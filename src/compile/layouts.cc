// Operands that are read for their layout alone take it from where it comes from: an input, or what makes the
// axis.
//
// Nothing has to be computed for the sake of its lengths then. And where x depends on broadcast_as(b, x),
// which is no recurrence, the edge would close a cycle that is no loop; the nodes on it would run in an order
// that is none.
#include <algorithm>
#include <vector>

#include "base/components.h"
#include "compile/passes.h"

namespace cantik::ir {
namespace {

class Untie {
 public:
  explicit Untie(Graph& g) : g_(g), component_(g.nodes.size(), -1) {}

  void run() {
    if (std::ranges::none_of(g_.nodes.ids(), [&](NodeId id) { return reads_layouts(id); })) return;
    int32_t count = 0;
    const std::vector<NodeId> order = g_.order();
    for (const std::vector<NodeId>& nodes : components(order, [&](NodeId id) { return g_.producers(id); })) {
      for (NodeId id : nodes) component_[id] = count;
      ++count;
    }
    for (NodeId id : order)
      if (reads_layouts(id)) untie(id);
    g_.remove_unused();
  }

 private:
  // A kernel that asks for the operand's type too says so.
  bool reads_layout(NodeId id, size_t i) const {
    const Node& n = g_.node(id);
    return n.kind == NodeKind::call && n.op->reads_layout_only(i) &&
           !(i < 32 && n.op->facts.type_too >> i & 1) && g_.type(n.in[i]).axes.has_batch();
  }
  bool reads_layouts(NodeId id) const {
    for (size_t i = 0; i < g_.node(id).in.size(); ++i)
      if (reads_layout(id, i)) return true;
    return false;
  }
  bool depends_on(ValueId v, NodeId id) const {
    NodeId p = g_.value(v).producer;
    return p && component_[p] == component_[id];
  }

  void untie(NodeId id) {
    for (size_t i = 0; i < g_.node(id).in.size(); ++i)
      if (reads_layout(id, i)) {
        ValueId from = origin(g_.node(id).in[i], id);
        g_.node(id).in[i] = from;
      }
  }

  // The value whose rows those of v are, as far up as it goes: first operands first, not by a way that
  // depends on `reader`.
  ValueId origin(ValueId v, NodeId reader) const {
    const Axes axes = g_.type(v).axes;
    std::vector<ValueId> open{v};
    ById<ValueId, char> seen(g_.values.size(), 0);
    while (!open.empty()) {
      ValueId at = open.back();
      open.pop_back();
      if (seen[at]++) continue;
      const Node* p = g_.producer(at);
      size_t below = open.size();
      if (p && !g_.makes_axes_of(at))
        for (size_t i = p->in.size(); i-- > 0;)
          if (const Type& t = g_.type(p->in[i]); t.axes == axes && t.storage == Storage::dense)
            open.push_back(p->in[i]);
      if (open.size() == below && !depends_on(at, reader)) return at;
    }
    return v;
  }

  Graph& g_;
  ById<NodeId, int32_t> component_;
};

}  // namespace

void untie_layouts(Graph& g) { Untie(g).run(); }

}  // namespace cantik::ir
