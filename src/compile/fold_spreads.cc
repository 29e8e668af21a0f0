// A value of the batch at each step of sequences is an index and not a copy, where elementwise expressions
// read it, or operators that state so (`by_index`).
//
// A `take_rows` that spreads a batch writes a row for each step: as many copies as sequences have steps. A
// reader can read the row of its sequence instead. In a loop the rows lie in step order: there another
// `take_rows` stands between the two, and both go.
#include <algorithm>
#include <vector>

#include "compile/core.h"
#include "compile/passes.h"
#include "tensor/steps.h"

namespace cantik::ir {
namespace {

RowMap map_of(const Node& take) {
  return static_cast<RowMap>(take.attributes[take.op->field("map")].integer());
}
bool spreads(const Node& n) { return core::take_rows.is(n) && map_of(n) == RowMap::sequence; }
bool takes_steps(const Node& n) {
  return core::take_rows.is(n) && (map_of(n) == RowMap::steps || map_of(n) == RowMap::steps_from_end);
}

class Folder {
 public:
  explicit Folder(Graph& g) : g_(g), readers_(g.values.size()) {
    for (NodeId id : g.order())
      for (ValueId v : g.node(id).in) readers_[v].push_back(id);
  }

  bool run() {
    bool any = false;
    for (const Node& n : g_.nodes)
      if (spreads(n)) any |= fold(n.in[0], n.out[0]);
    return any;
  }

 private:
  bool fold(ValueId v, ValueId copies) {
    const Type& t = g_.type(v);
    if (!t.axes.has_batch() || t.axes.has_sequence() || t.storage != Storage::dense) return false;
    bool any = read_instead(v, copies, false);
    for (NodeId id : readers_[copies])
      if (takes_steps(g_.node(id))) any |= read_instead(v, g_.node(id).out[0], true);
    return any;
  }

  // Whether the node may read the operand by an index. In loops expressions do.
  bool reads_by_index(const Node& n, size_t operand) const {
    if (n.kind == NodeKind::map) return !n.closes;
    return n.kind == NodeKind::call && !n.loop && !g_.device.backend() && operand < 32 &&
           (n.op->facts.by_index >> operand & 1) != 0;
  }

  // What reads the copies, in loops or outside, reads the value itself.
  bool read_instead(ValueId v, ValueId copies, bool in_loop) {
    bool any = false;
    for (NodeId id : readers_[copies]) {
      Node& n = g_.node(id);
      if (bool(n.loop) != in_loop || !g_.type(n.out[0]).axes.has_sequence()) continue;
      for (size_t i = 0; i < n.in.size() && i < 32; ++i)
        if (n.in[i] == copies && reads_by_index(n, i)) {
          n.in[i] = v;
          n.spread |= 1u << i;
          any = true;
        }
    }
    return any;
  }

  Graph& g_;
  ById<ValueId, std::vector<NodeId>> readers_;
};

}  // namespace

void fold_spreads(Graph& g) {
  if (Folder(g).run()) g.remove_unused();
}

}  // namespace cantik::ir
