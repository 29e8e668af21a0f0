// Arithmetic of float16: every operator works in float32 and rounds what it makes to float16.
//
// Casts that round stay where they are, so a network gives the numbers of one that computes in float16 with a
// wide accumulator.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "compile/core.h"
#include "compile/passes.h"

namespace cantik::ir {
namespace {

bool is_half(const Graph& g, ValueId v) { return g.type(v).dtype == DType::float16; }

// Those that only carry numbers, or are about element types themselves.
bool stays(const Node& n) {
  return n.kind == NodeKind::call && n.op->has(CANTIK_ALIAS | CANTIK_EFFECT | CANTIK_TAKES_HALF);
}

ValueId cast(Graph& g, ValueId v, DType to, SourceId source) {
  return g.call(core::cast.op(), {Attribute(to)}, std::array{v}, source)[0];
}

}  // namespace

void widen(Graph& g) {
  if (std::none_of(g.values.begin(), g.values.end(),
                   [](const ValueInfo& v) { return v.type.dtype == DType::float16; }))
    return;
  std::unordered_map<ValueId, ValueId> wide;
  auto widened = [&](ValueId v, SourceId source) {
    auto [at, fresh] = wide.try_emplace(v, -1);
    if (!fresh) return at->second;
    ValueInfo info = g.value(v);
    ValueId w = info.leaf == LeafKind::number ? g.number(info.number, DType::float32)
                : info.leaf == LeafKind::live ? g.live(g.lives[info.leaf_index], DType::float32)
                                              : cast(g, v, DType::float32, source);
    return wide[v] = w;
  };
  for (NodeId id : g.order()) {
    if (stays(g.node(id))) continue;
    const SourceId source = g.node(id).source;
    for (size_t i = 0; i < g.node(id).in.size(); ++i)
      if (ValueId v = g.node(id).in[i]; is_half(g, v)) {
        ValueId w = widened(v, source);
        g.node(id).in[i] = w;
      }
    const Values out = g.node(id).out;
    for (ValueId v : out) {
      if (!is_half(g, v)) continue;
      g.value(v).type.dtype = DType::float32;
      ValueId narrow = cast(g, v, DType::float16, source);
      g.replace_uses(v, narrow);
      g.producer(narrow)->in[0] = v;
    }
  }
}

}  // namespace cantik::ir
