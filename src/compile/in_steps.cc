// Operators that take all rows of a step at once (trait CANTIK_IN_STEPS), in cycles: there they are called
// once a step. What they read of the batch is spread over the steps, so that a step has the rows of the
// sequences that go on. All that they read is written out: a gradient may come back with the rows of all
// steps, which are then dealt out by calls.
#include <algorithm>
#include <vector>

#include "base/components.h"
#include "compile/passes.h"

namespace cantik::ir {

void call_in_steps(Graph& g) {
  auto is_one = [](const Node& n) { return n.kind == NodeKind::call && n.op->has(CANTIK_IN_STEPS); };
  if (std::none_of(g.nodes.begin(), g.nodes.end(), is_one)) return;
  auto operands = [&](NodeId id) {
    const Node& n = g.node(id);
    std::vector<NodeId> list;
    for (size_t i = 0; i < n.in.size(); ++i)
      if (NodeId p = g.value(n.in[i]).producer;
          p && !(n.kind == NodeKind::call && n.op->reads_layout_only(i)))
        list.push_back(p);
    return list;
  };
  for (const std::vector<NodeId>& cycle : components(g.order(), operands)) {
    if (cycle.size() == 1) continue;  // a cycle has a delay
    for (NodeId id : cycle) {
      if (!is_one(g.node(id))) continue;
      Values in = g.node(id).in;
      const SourceId source = g.node(id).source;
      for (ValueId& v : in) v = g.dense(v, source);
      g.align({in.begin(), in.size()}, source);
      g.node(id).in = in;
    }
  }
}

}  // namespace cantik::ir
