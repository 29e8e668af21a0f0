#include "compile/stores.h"

#include <algorithm>

namespace cantik::ir {
namespace {

bool is_store(const Node& n) { return n.kind == NodeKind::call && n.op->facts.stores; }

// Reads an element before it writes the same one.
bool is_elementwise(const Graph& g, const Node& n) {
  return n.kind == NodeKind::map && n.out.size() == 1 && !n.closes && !n.loop &&
         !g.type(n.out[0]).axes.has_batch() && g.type(n.out[0]).storage == Storage::dense;
}

// The parameter or constant that the value lies in, through views.
ValueId stored_root(const Graph& g, ValueId v) {
  for (const Node* n = g.producer(v); n; n = g.producer(v)) {
    if (n->kind != NodeKind::call || !n->op->has(CANTIK_ALIAS)) return {};
    v = n->in[0];
  }
  LeafKind k = g.value(v).leaf;
  return k == LeafKind::parameter || k == LeafKind::constant ? v : ValueId();
}

}  // namespace

void keep_old_values(Graph& g) {
  std::vector<NodeId> stores;
  for (NodeId id : g.order())
    if (is_store(g.node(id))) stores.push_back(id);
  for (NodeId id : stores) {
    const ValueId v = g.node(id).in[1], root = stored_root(g, v);
    const bool overwritten = root && std::any_of(stores.begin(), stores.end(), [&](NodeId other) {
                               return other != id && g.node(other).in[0] == root;
                             });
    if (!overwritten) continue;
    const ValueId copy = g.copied(v);
    g.node(id).in[1] = copy;
  }
}

std::vector<NodeId> nodes_for_effects(const Graph& g, const std::vector<NodeId>& order) {
  // Backwards: a value is wanted early if anything but these nodes and the stores reads it.
  ById<ValueId, char> early(g.values.size(), 0);
  ById<NodeId, char> late(g.nodes.size(), 0);
  for (ValueId v : g.outputs) early[v] = 1;
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Node& n = g.node(*id);
    late[*id] = is_elementwise(g, n) && !early[n.out[0]];
    if (!late[*id] && !is_store(n))
      for (ValueId v : n.in) early[v] = 1;
  }
  std::vector<NodeId> list;
  for (NodeId id : order)
    if (late[id]) list.push_back(id);
  return list;
}

std::vector<std::pair<ValueId, ValueId>> stores_in_place(const Graph& g, const std::vector<NodeId>& late,
                                                         const std::vector<NodeId>& effects) {
  std::vector<std::pair<ValueId, ValueId>> found;
  for (NodeId store : effects) {
    if (!is_store(g.node(store))) continue;
    const ValueId to = g.node(store).in[0], v = g.node(store).in[1];
    auto at = std::find_if(late.begin(), late.end(), [&](NodeId id) { return g.node(id).out[0] == v; });
    if (at == late.end() || stored_root(g, to) != to) continue;
    if (g.type(v).dtype != g.type(to).dtype || !(g.type(v).shape == g.type(to).shape)) continue;
    bool free =
        std::none_of(found.begin(), found.end(), [&](auto& f) { return f.first == v || f.second == to; });
    // The node itself may read it, element by element; those after it, and effects, may not.
    for (auto id = at; id != late.end() && free; ++id) {
      const Node& n = g.node(*id);
      for (size_t k = 0; k < n.in.size(); ++k)  // some may have been left from what was merged into it
        if (n.expression.reads(static_cast<int32_t>(k)))
          free &= stored_root(g, n.in[k]) != to || (id == at && n.in[k] == to);
    }
    for (NodeId id : effects)
      for (size_t k = 0; k < g.node(id).in.size() && free; ++k)
        free &= (id == store && k == 0) || stored_root(g, g.node(id).in[k]) != to;
    if (free) found.emplace_back(v, to);
  }
  return found;
}

}  // namespace cantik::ir
