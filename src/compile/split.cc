// A differentiated graph in two parts: what can run before the gradients of the roots are known, and what
// waits for them.
#include <functional>
#include <vector>

#include "compile/passes.h"

namespace cantik::ir {

void split(Graph& g, size_t outputs, int32_t first_seed, const std::function<ValueId(const Type&)>& new_input,
           Halves& h) {
  std::vector<char> late(g.values.size(), 0);
  for (size_t i = 0; i < g.values.size(); ++i)
    late[i] = g.values[i].leaf == LeafKind::input && g.values[i].leaf_index >= first_seed;
  std::vector<NodeId> order = g.order();
  for (bool changed = true; changed;) {  // a recurrence needs another round
    changed = false;
    for (NodeId id : order) {
      bool any = false;
      for (ValueId v : g.node(id).in) any |= late[static_cast<size_t>(v)] != 0;
      if (!any) continue;
      for (ValueId v : g.node(id).out)
        if (!late[static_cast<size_t>(v)]) late[static_cast<size_t>(v)] = changed = true;
    }
  }
  // Parameters are assigned when everything has been computed, gradients included.
  auto waits = [&](NodeId id) { return g.node(id).op->facts.stores; };
  std::vector<NodeId> effects;
  for (NodeId id : g.effects)
    if (waits(id)) effects.push_back(id);
  // What nobody asked the second part for is not called.
  auto follows = [&](NodeId id) {
    return !g.node(id).out.empty() && late[static_cast<size_t>(g.node(id).out[0])] != 0;
  };
  // What the second part reads of the first. Elementwise constants are made again rather than kept.
  std::vector<ValueId> crossing;
  std::vector<char> known(g.values.size(), 0);
  auto cross = [&](ValueId v) {
    if (late[static_cast<size_t>(v)] || g.value(v).producer < 0 || known[static_cast<size_t>(v)]) return;
    known[static_cast<size_t>(v)] = 1;
    crossing.push_back(v);
  };
  for (NodeId id : order) {
    const Node& n = g.node(id);
    if (n.out.empty() || !late[static_cast<size_t>(n.out[0])]) continue;
    for (ValueId v : n.in) cross(v);
  }
  for (NodeId id : effects)
    for (ValueId v : g.node(id).in) cross(v);
  std::vector<ValueId> gradients(g.outputs.begin() + static_cast<std::ptrdiff_t>(outputs), g.outputs.end());
  for (ValueId v : gradients) cross(v);

  h.forward = g;
  h.forward.outputs.resize(outputs);
  h.forward.outputs.insert(h.forward.outputs.end(), crossing.begin(), crossing.end());
  std::erase_if(h.forward.effects, [&](NodeId id) { return waits(id) || follows(id); });
  h.saved = crossing;

  g.effects = effects;  // the others happened in the first part
  g.outputs = gradients;
  for (ValueId v : crossing) {
    ValueId in = new_input(g.type(v));
    h.saved_as.push_back(g.leaves.back());
    g.replace_uses(v, in);
  }
  g.remove_unused();
  h.backward = std::move(g);
  h.forward.remove_unused();
}

}  // namespace cantik::ir
