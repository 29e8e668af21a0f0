// Nodes of a graph that runs on a device with memory of its own: those that the device has kernels for run
// there, the others on the host. Between the two memories stand copies: nodes of their own, that the text
// shows and profiles time.
//
// Copies of parameters depend on nothing else, so that they are made once for each version. Inputs and
// outputs lie in the host's memory.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "compile/core.h"
#include "compile/passes.h"
#include "compile/prepare.h"
#include "compile/schedule.h"

namespace cantik::ir {
namespace {

class DevicePlacer {
 public:
  explicit DevicePlacer(Graph& g) : g_(g), order_(g.order()) {}

  void run() {
    for (NodeId id : order_) choose(g_.node(id));
    for (NodeId id : order_)  // a view lies where its operand does
      if (Node& n = g_.node(id); is_alias(n)) n.on_device = g_.is_on_device(n.in[0]);
    for (NodeId id : order_) bring_operands(id);
    for (ValueId& v : g_.outputs)
      if (g_.is_on_device(v)) v = copied(v, false, {});
  }

 private:
  void choose(Node& n) {
    if (is_alias(n)) return;
    for (const Values* list : {&n.in, &n.out})
      for (ValueId v : *list) {
        const Type& t = g_.type(v);
        if (!t.shape.is_static())
          throw unsupported(cat("what runs on ", g_.device.text(), " depends on sizes that only a run knows"))
              .remedy("give the inputs static shapes");
        if (t.storage != Storage::dense && n.loop) return;  // steps of sparse rows are the host's
      }
    n.on_device = is_stepped(n) || is_taken(g_, n);
  }
  // A delay in a loop: the run itself brings rows from step to step.
  static bool is_stepped(const Node& n) { return n.loop && is_delay(n); }

  void bring_operands(NodeId id) {
    if (is_alias(g_.node(id))) return;
    for (size_t k = 0; k < g_.node(id).in.size(); ++k) {
      const Node& n = g_.node(id);
      const ValueId v = n.in[k];
      if (n.kind == NodeKind::call && n.op->reads_layout_only(k)) continue;
      bool wanted = n.on_device;
      if (is_stepped(n) && k == 1) {
        // the initial state, which may be one number for all of a row: a run reads it where it is
        const bool whole = g_.type(v).shape.elements() == g_.type(n.out[0]).shape.elements();
        wanted = whole && g_.is_on_device(v);
      }
      if (wanted == g_.is_on_device(v)) continue;
      const ValueId there = copied(v, wanted, n.loop);
      g_.node(id).in[k] = there;
    }
  }

  // v in the other memory. What a loop makes is copied step by step where the loop reads it.
  ValueId copied(ValueId v, bool to_device, LoopId loop) {
    const Node* from = g_.producer(v);
    if (!from || from->loop != loop) loop = {};
    const auto [known, is_new] = made_.try_emplace({v, to_device, loop});
    if (!is_new) return known->second;
    Node n;
    n.kind = NodeKind::call;
    n.op = &core::copy.op();
    n.in = {v};
    n.loop = loop;
    n.on_device = to_device;
    if (from) n.source = from->source;
    const Type t = g_.type(v);
    return known->second = g_.node(g_.add(std::move(n), {&t, 1})).out[0];
  }

  Graph& g_;
  const std::vector<NodeId> order_;
  std::map<std::tuple<ValueId, bool, LoopId>, ValueId> made_;
};

}  // namespace

void place_on_device(Graph& g) {
  if (g.device.backend()) DevicePlacer(g).run();
}

}  // namespace cantik::ir
