// Common subexpressions: of nodes that compute the same from the same, one stays. Draws, effects and what is
// observed are never shared.
#include <unordered_map>
#include <vector>

#include "compile/passes.h"

namespace cantik::ir {
namespace {

size_t hash_of(const Node& n) {
  size_t h = n.kind == NodeKind::map ? n.expression.hash() : std::hash<const void*>()(n.op);
  for (ValueId v : n.in) h = (h ^ v.index()) * 1099511628211u;
  return h;
}

bool equal(const Graph& g, const Node& a, const Node& b) {
  if (a.kind != b.kind || !(a.in == b.in) || a.out.size() != b.out.size() ||
      a.epilogue_inputs != b.epilogue_inputs)
    return false;
  if (!(a.expression == b.expression) || a.closes != b.closes) return false;
  if (a.kind == NodeKind::call &&
      (a.op != b.op || !(a.attributes == b.attributes) || (a.of_user != b.of_user && is_delay(a))))
    return false;
  return a.out.empty() || g.type(a.out[0]) == g.type(b.out[0]);
}

}  // namespace

void share(Graph& g) {
  ById<ValueId, ValueId> to;
  to.reserve(g.values.size());
  for (ValueId v : g.values.ids()) to.push_back(v);
  std::unordered_multimap<size_t, NodeId> known;
  bool any = false;
  for (NodeId id : g.order()) {
    Node& n = g.node(id);
    for (ValueId& v : n.in) v = to[v];
    if (n.kind == NodeKind::call && n.op->has(CANTIK_DRAWS | CANTIK_EFFECT | CANTIK_OBSERVED)) continue;
    size_t h = hash_of(n);
    auto [begin, end] = known.equal_range(h);
    NodeId same;
    for (auto it = begin; it != end && !same; ++it)
      if (equal(g, g.node(it->second), n)) same = it->second;
    if (!same) {
      known.emplace(h, id);
      continue;
    }
    for (size_t i = 0; i < n.out.size(); ++i) to[n.out[i]] = g.node(same).out[i];
    any = true;
  }
  if (!any) return;
  for (Node& n : g.nodes)  // edges that close loops come before what they read
    for (ValueId& v : n.in) v = to[v];
  for (ValueId& v : g.outputs) v = to[v];
  g.remove_unused();
}

}  // namespace cantik::ir
