// Whether what a network makes of a sample may depend on the samples beside it. Operators state for the
// compiler that their rows, or sequences, are computed by themselves; all others count as looking at all.
#include <algorithm>
#include <vector>

#include <cantik/inspect.h>

#include "compile/graph.h"
#include "compile/pipeline.h"
#include "graph/operator.h"

namespace cantik {
namespace {

// Random numbers come from one stream, whoever asks for them: what draws mixes nothing.
bool keeps_samples_apart(const Operator& op) {
  if (op.has(CANTIK_SUMS_ROWS | CANTIK_ROWS_AS_AXIS | CANTIK_STEPS_AS_AXIS)) return false;
  return op.has(CANTIK_ROW_WISE | CANTIK_ALIAS | CANTIK_DELAY | CANTIK_TAKES_ROWS | CANTIK_BY_SEQUENCE |
                CANTIK_DRAWS);
}

bool reads_samples(const ir::Graph& g, const ir::Node& n) {
  return std::any_of(n.in.begin(), n.in.end(), [&](ir::ValueId v) { return g.type(v).axes.has_batch(); });
}

}  // namespace

bool mixes_samples(const Function& network) {
  const ir::Graph g = ir::imported({network.outputs(), {}, {}, ir::Mode::evaluation});
  const std::vector<ir::NodeId> order = g.order();
  return std::any_of(order.begin(), order.end(), [&](ir::NodeId id) {
    const ir::Node& n = g.node(id);
    return n.kind == ir::NodeKind::call && reads_samples(g, n) && !keeps_samples_apart(*n.op);
  });
}

}  // namespace cantik
