#include "compile/prepare.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "backends/backend.h"
#include "base/text.h"

namespace cantik::ir {
namespace {

// The kernel of results without elements, whatever the operator.
struct Nothing final : Kernel {
  int64_t units(int64_t) const override { return 1; }
  void run(const Run&) const override {}
};

bool makes_nothing(const Graph& g, const Node& n) {
  if (n.kind == NodeKind::call && (n.op->runs_each_time() || n.op->has(CANTIK_OWN_AXIS))) return false;
  auto is_empty = [&](ValueId v) {
    const Type& t = g.type(v);
    return t.storage == Storage::dense && t.shape.is_static() && t.shape.elements() == 0;
  };
  return !n.out.empty() && std::all_of(n.out.begin(), n.out.end(), is_empty);
}

// The node's types, and what is asked for.
struct NodeTask {
  std::vector<Type> in, out;
  Task task;

  NodeTask(const Graph& g, const Node& n) {
    in.reserve(n.in.size());
    out.reserve(n.out.size());
    for (ValueId v : n.in) in.push_back(g.type(v));
    for (ValueId v : n.out) out.push_back(g.type(v));
    task = {.in = in, .out = out, .expression = &n.expression, .closes = n.closes};
    if (n.kind != NodeKind::call) return;
    task.op = n.op;
    task.attributes = n.attributes;
    task.epilogue_inputs = n.epilogue_inputs;
  }
};

}  // namespace

Prepared prepare(const Graph& g, const Node& n) {
  if (makes_nothing(g, n)) return own(std::make_unique<Nothing>(), "nothing");
  const NodeTask asked(g, n);
  std::string reasons;
  if (Prepared made = prepared(asked.task, n.on_device ? g.device.backend() : nullptr, reasons)) return made;
  throw unsupported(n.op->name + " cannot run" +
                    (reasons.empty() ? ": it has no kernel" : " (" + reasons + ")"));
}

bool is_taken(const Graph& g, const Node& n) {
  // Random numbers come from streams of the host, and lengths that data make are asked for there; the
  // parameters are there too, and so is what operators leave in a run.
  if (n.kind == NodeKind::call && (n.op->runs_each_time() || n.op->has(CANTIK_OWN_AXIS))) return false;
  if (n.kind == NodeKind::map && (n.closes || n.out.size() != 1)) return false;
  auto is_known = [&](ValueId v) { return g.type(v).shape.is_static(); };
  if (!std::ranges::all_of(n.in, is_known) || !std::ranges::all_of(n.out, is_known)) return false;
  if (makes_nothing(g, n)) return false;
  const NodeTask asked(g, n);
  std::string reasons;
  return static_cast<bool>(prepared(asked.task, g.device.backend(), reasons));
}

}  // namespace cantik::ir
