// Step order beyond loops: what surrounds a loop takes its rows as they lie in it, where that moves less
// memory.
//
// A sum over rows (the gradient of a weight) does not ask for their order, so it reads a loop's values
// directly and brings what it reads besides them into step order. A row-wise chain that only feeds a loop
// (the product with the input) runs in step order itself, if its operands are narrower than its result.
#include <algorithm>
#include <array>
#include <vector>

#include "compile/columns.h"
#include "compile/core.h"
#include "compile/passes.h"
#include "compile/schedule.h"
#include "tensor/steps.h"

namespace cantik::ir {
namespace {

bool enters(RowMap m) { return m == RowMap::steps || m == RowMap::steps_from_end; }
RowMap way_in(RowMap out) { return out == RowMap::by_sequence ? RowMap::steps : RowMap::steps_from_end; }
RowMap way_out(RowMap in) { return in == RowMap::steps ? RowMap::by_sequence : RowMap::by_sequence_from_end; }

class Reorder {
 public:
  explicit Reorder(Graph& g) : g_(g) {}

  void run() {
    if (g_.loops.empty()) return;
    sums();
    for (NodeId id : g_.order())
      if (!g_.node(id).loop && row_use(g_, g_.node(id)) == RowUse::row_wise) push_down(id);
    g_.remove_unused();
    sums();
    std::vector<NodeId> ways;
    for (NodeId id : g_.order())
      if (is_take(id) && enters(map_of(id))) ways.push_back(id);
    while (!ways.empty()) {
      NodeId id = ways.back();
      ways.pop_back();
      if (g_.is_live(id)) push_up(id, ways);
    }
    g_.remove_unused();
  }

 private:
  void sums() {
    for (NodeId id : g_.order())
      if (!g_.node(id).loop && row_use(g_, g_.node(id)) == RowUse::sums_rows) sum_in_steps(id);
    g_.remove_unused();
  }

  bool is_take(NodeId id) const { return core::take_rows.is(g_.node(id)) && needs_steps(map_of(id)); }
  RowMap map_of(NodeId id) const { return static_cast<RowMap>(g_.node(id).attributes[0].integer()); }
  int64_t width(ValueId v) const { return g_.type(v).axes.has_batch() ? g_.type(v).shape.elements() : 0; }
  // The take_rows that made v with a map of this kind, or none.
  NodeId made_by(ValueId v, bool in) const {
    NodeId p = g_.value(v).producer;
    return p && is_take(p) && enters(map_of(p)) == in ? p : NodeId();
  }

  // v as a take_rows gives it that is there already, or none.
  ValueId taken(ValueId v, RowMap way) const {
    for (NodeId n : g_.nodes.ids())
      if (g_.is_live(n) && is_take(n) && g_.node(n).in[0] == v && map_of(n) == way) return g_.node(n).out[0];
    return {};
  }

  ValueId in_steps(ValueId v, RowMap way) {
    if (NodeId p = made_by(v, false); p && map_of(p) == way_out(way)) return g_.node(p).in[0];
    if (ValueId there = taken(v, way)) return there;
    return g_.call(core::take_rows.op(), {Attribute(static_cast<int64_t>(way))}, std::array{g_.dense(v, {})},
                   {})[0];
  }

  void sum_in_steps(NodeId id) {
    const Node& n = g_.node(id);
    int64_t gained = 0, paid = 0;
    RowMap way{};
    for (ValueId v : n.in)
      if (NodeId p = made_by(v, false); p && (gained == 0 || way == way_in(map_of(p))))
        way = way_in(map_of(p)), gained += width(v);
      else
        paid += width(v);
    if (gained <= paid) return;
    for (ValueId v : n.in)
      if (g_.type(v).axes.has_batch() && g_.type(v).storage != Storage::dense) return;
    for (size_t i = 0; i < g_.node(id).in.size(); ++i)
      if (ValueId v = g_.node(id).in[i]; g_.type(v).axes.has_batch()) {
        ValueId steps = in_steps(v, way);
        g_.node(id).in[i] = steps;
      }
  }

  // f(take_rows(x), take_rows(y)) becomes take_rows(f(x, y)), on the way out of a loop.
  void push_down(NodeId id) {
    const Node& n = g_.node(id);
    if (n.out.size() != 1 || is_take(id) || is_alias(n) || g_.type(n.out[0]).storage != Storage::dense)
      return;
    const ById<ValueId, int32_t> uses = g_.use_counts();
    int64_t gained = 0;
    RowMap way{};
    bool any = false;
    for (ValueId v : n.in) {
      if (!g_.type(v).axes.has_batch()) continue;
      NodeId p = made_by(v, false);
      if (!p || (any && map_of(p) != way)) return;
      way = map_of(p);
      any = true;
      if (uses[v] == 1) gained += width(v);
    }
    ValueId v = n.out[0];
    if (!any || gained < width(v)) return;
    for (size_t i = 0; i < g_.node(id).in.size(); ++i)
      if (NodeId p = made_by(g_.node(id).in[i], false)) g_.node(id).in[i] = g_.node(p).in[0];
    ValueId back = g_.call(core::take_rows.op(), {Attribute(static_cast<int64_t>(way))}, std::array{v},
                           g_.node(id).source)[0];
    g_.replace_uses(v, back);
    g_.producer(back)->in[0] = v;
  }

  // What all slices of u together bring into step order.
  int64_t sliced_width(ValueId u, RowMap map) const {
    int64_t total = 0;
    for (NodeId n : g_.nodes.ids())
      if (g_.is_live(n) && is_take(n) && map_of(n) == map)
        if (const Node* p = g_.producer(g_.node(n).in[0]); p && columns_of(g_, *p) && p->in[0] == u)
          total += width(g_.node(n).in[0]);
    return total;
  }

  // take_rows(f(x)) becomes f(take_rows(x)).
  void push_up(NodeId way, std::vector<NodeId>& ways) {
    ValueId v = g_.node(way).in[0];
    NodeId p = g_.value(v).producer;
    if (!p || g_.node(p).loop || g_.node(p).out.size() != 1 || row_use(g_, g_.node(p)) != RowUse::row_wise ||
        is_alias(g_.node(p)))
      return;
    if (g_.use_counts()[v] != 1) return;
    const RowMap map = map_of(way);
    int64_t paid = 0;
    for (ValueId u : g_.node(p).in) {
      if (g_.type(u).axes.has_batch() &&
          !(g_.type(u).axes == g_.type(v).axes && g_.type(u).storage == Storage::dense))
        return;
      if (!made_by(u, false) && !taken(u, map)) paid += width(u);
    }
    if (paid > (g_.node(p).op && g_.node(p).op->facts.parts == CANTIK_TAKES_PART
                    ? sliced_width(g_.node(p).in[0], map)
                    : width(v)))
      return;
    for (size_t i = 0; i < g_.node(p).in.size(); ++i)
      if (ValueId u = g_.node(p).in[i]; g_.type(u).axes.has_batch()) {
        ValueId steps = in_steps(u, map);
        g_.node(p).in[i] = steps;
        if (NodeId made = made_by(steps, true)) ways.push_back(made);
      }
    g_.replace_uses(g_.node(way).out[0], v);
    g_.remove(way);
  }

  Graph& g_;
};

}  // namespace

void order_by_steps(Graph& g) { Reorder(g).run(); }

}  // namespace cantik::ir
