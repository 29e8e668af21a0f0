// Loops: the cycles of the graph become loops over the steps of their sequences.
//
// What belongs to a loop is a strongly connected component: nodes that read one another through delays. All
// else stands outside and runs once over all rows. The values of a loop lie in step order (tensor/steps.h),
// so the rows of a step are side by side; take_rows brings what the loop reads into that order, and back what
// others read of it. Edges that read only a layout do not count: they would draw encoders into the decoder's
// loop.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/components.h"
#include "base/text.h"
#include "compile/core.h"
#include "compile/passes.h"
#include "graph/node.h"
#include "tensor/steps.h"

namespace cantik::ir {
namespace {

bool looks_back(const Node& n) { return n.op->facts.delay == CANTIK_PAST; }

class LoopFormer {
 public:
  explicit LoopFormer(Graph& g) : g_(g) {}

  void run() {
    bool delays = std::any_of(g_.nodes.begin(), g_.nodes.end(), [](const Node& n) { return is_delay(n); });
    if (!delays) return;  // a cycle has one, or it would not have been closed (graph/loops.h)
    write_out_steps();
    for (const std::vector<NodeId>& component :
         components(g_.order(), [&](NodeId id) { return operands(id); }))
      if (std::vector<NodeId> in = operands(component[0]);
          component.size() > 1 || std::find(in.begin(), in.end(), component[0]) != in.end())
        form(component);
    write_out_states();
    g_.remove_unused();
  }

 private:
  // Steps of a smaller shape than the initial state's.
  void write_out_steps() {
    for (NodeId id : g_.nodes.ids()) {
      const Node& n = g_.node(id);
      if (!is_delay(n)) continue;
      const Shape whole = g_.type(n.out[0]).shape;
      if (g_.type(n.in[0]).shape == whole) continue;
      ValueId steps = spread(g_.dense(n.in[0], n.source), whole);
      g_.node(id).in[0] = steps;
    }
  }
  // Whoever carries states over takes those of the beginning as they are.
  void write_out_states() {
    for (NodeId id : g_.nodes.ids()) {
      const Node& n = g_.node(id);
      if (!is_delay(n) || !n.of_user || !looks_back(n) || n.loop) continue;
      if (ValueId v = n.in[1]; is_in_part(v, n)) {
        ValueId whole = spread(v, g_.type(n.out[0]).shape);
        g_.node(id).in[1] = whole;
      }
    }
  }
  // An initial state that broadcasts, and is no single number.
  bool is_in_part(ValueId state, const Node& delay) const {
    return g_.type(state).storage == Storage::dense && g_.type(state).shape.elements() != 1 &&
           !(g_.type(state).shape == g_.type(delay.out[0]).shape);
  }

  // The nodes that a node reads, for more than their layouts.
  std::vector<NodeId> operands(NodeId id) const {
    const Node& n = g_.node(id);
    std::vector<NodeId> list;
    for (size_t i = 0; i < n.in.size(); ++i)
      if (NodeId p = g_.value(n.in[i]).producer;
          p && !(n.kind == NodeKind::call && n.op->reads_layout_only(i)))
        list.push_back(p);
    return list;
  }

  [[noreturn]] void refuse(NodeId id, Error e) const {
    const Node& n = g_.node(id);
    if (n.source) rethrow_with(e, *g_.sources[n.source]);
    throw e;
  }

  void form(const std::vector<NodeId>& body) {
    Loop loop;
    // the others look the same way
    NodeId first = *std::find_if(body.begin(), body.end(), [&](NodeId id) { return is_delay(g_.node(id)); });
    loop.axes = g_.type(g_.node(first).out[0]).axes;
    for (NodeId id : body) check(id, loop);
    const LoopId index = g_.loops.end_id();
    for (NodeId id : body) g_.node(id).loop = index;
    bool back = looks_back(g_.node(first));
    loop.from_end = order_of_saved(body, back).value_or(order_of_neighbours(body, !back));
    loop.descending = loop.from_end == back;
    g_.loops.push_back(loop);
    enter(body, index);
    leave(body, index);
  }

  void check(NodeId id, const Loop& loop) const {
    const Node& n = g_.node(id);
    for (ValueId v : n.out)
      if (g_.type(v).axes != loop.axes && !sums_calls(n, v))
        refuse(id, value_error(cat(n.op ? n.op->name : "an expression",
                                   " changes the axes inside a recurrence, from ", loop.axes.text(), " to ",
                                   g_.type(v).axes.text()))
                       .remedy("move the operator out of the recurrence: inside, only operators that work "
                               "step by step are possible"));
    if (n.kind == NodeKind::map || is_delay(n)) return;
    const bool in_steps = n.op->has(CANTIK_IN_STEPS);
    if (in_steps)
      for (ValueId v : n.in)
        if (g_.type(v).axes.has_batch() && g_.type(v).axes != loop.axes)
          refuse(id, unsupported(cat(n.op->name, " reads a value on the axes ", g_.type(v).axes.text(),
                                     " inside a recurrence over ", loop.axes.text()))
                         .remedy("turn the sequence into a value of the batch with sequence.unpack(x, "
                                 "padding_value=0)"));
    bool step_by_step =
        in_steps || (n.op->has(CANTIK_ROW_WISE | CANTIK_ALIAS) && !n.op->has(CANTIK_DRAWS | CANTIK_EFFECT));
    if (!step_by_step)
      refuse(id,
             value_error(n.op->name + " cannot be used inside a recurrence: it does not work step by step")
                 .remedy("apply the operator to the recurrence's input or to its output"));
    for (ValueId v : n.out)
      if (g_.type(v).storage != Storage::dense)
        refuse(id, unsupported("a sparse value cannot be used inside a recurrence"));
  }

  // What was saved is read with the rows of the call that saved it, in a program of its own too: both loops
  // count from the same end, which then follows from the way they go alone.
  std::optional<bool> order_of_saved(const std::vector<NodeId>& body, bool back) const {
    for (NodeId id : body) {
      const Operator* op = g_.node(id).kind == NodeKind::call ? g_.node(id).op : nullptr;
      if (op && op->has(CANTIK_READS_SAVED)) return back;
      if (op && op->facts.saves != CANTIK_SAVES_NOTHING) return !back;
    }
    return std::nullopt;
  }
  // Whether a result without rows is the sum over the calls of all steps.
  bool sums_calls(const Node& n, ValueId v) const {
    return n.kind == NodeKind::call && n.op->has(CANTIK_READS_SAVED) && !g_.type(v).axes.has_batch();
  }

  // A loop whose operands come from another loop over the same sequences takes them as they lie.
  bool order_of_neighbours(const std::vector<NodeId>& body, bool otherwise) const {
    for (NodeId id : body)
      for (ValueId v : g_.node(id).in)
        if (auto at = left_.find(v); at != left_.end())
          return g_.loops[g_.node(g_.value(at->second).producer).loop].from_end;
    return otherwise;
  }

  bool is_inside(ValueId v, LoopId loop) const {
    const Node* n = g_.producer(v);
    return n && n->loop == loop;
  }

  // Rows that the loop reads from outside, in the order of its steps.
  void enter(const std::vector<NodeId>& body, LoopId index) {
    const Loop loop = g_.loops[index];
    std::unordered_map<ValueId, ValueId> known;
    for (NodeId id : body)
      for (size_t i = 0; i < g_.node(id).in.size(); ++i) {
        const Node& n = g_.node(id);
        ValueId v = n.in[i];
        if (is_delay(n) && i == 1 && is_in_part(v, n)) {
          g_.node(id).in[i] = spread(v, g_.type(n.out[0]).shape);
          continue;
        }
        if (is_inside(v, index) || !g_.type(v).axes.has_batch() || (is_delay(n) && i == 1) ||
            (n.kind == NodeKind::call && n.op->reads_layout_only(i)))
          continue;
        auto at = known.find(v);
        if (at == known.end()) at = known.emplace(v, in_steps(v, loop, n.source)).first;
        g_.node(id).in[i] = at->second;
      }
  }
  // With every element written out.
  ValueId spread(ValueId v, const Shape& shape) {
    Node n;
    n.kind = NodeKind::map;
    n.in = {v};
    n.expression.results = {n.expression.input(0)};
    Type t = g_.type(v);
    t.shape = shape;
    return g_.node(g_.add(std::move(n), {&t, 1})).out[0];
  }
  ValueId in_steps(ValueId v, const Loop& loop, SourceId source) {
    if (auto at = left_.find(v); at != left_.end())
      if (const Loop& other = g_.loops[g_.node(g_.value(at->second).producer).loop];
          other.from_end == loop.from_end)
        return at->second;
    return take(v, loop.from_end ? RowMap::steps_from_end : RowMap::steps, source);
  }
  ValueId take(ValueId v, RowMap map, SourceId source) {
    return g_.call(core::take_rows.op(), {Attribute(static_cast<int64_t>(map))},
                   std::array{g_.dense(v, source)}, source)[0];
  }

  // And what others read of it, by sequence again.
  void leave(const std::vector<NodeId>& body, LoopId index) {
    bool from_end = g_.loops[index].from_end;
    ById<ValueId, char> outside(g_.values.size(), 0);
    for (const Node& n : g_.nodes)
      if (n.kind != NodeKind::dead && n.loop != index)
        for (size_t i = 0; i < n.in.size(); ++i)
          if (!(n.kind == NodeKind::call && n.op->reads_layout_only(i))) outside[n.in[i]] = 1;
    for (ValueId v : g_.outputs) outside[v] = 1;
    for (NodeId id : body)
      for (size_t o = 0; o < g_.node(id).out.size(); ++o) {
        ValueId v = g_.node(id).out[o];
        if (!outside[v] || sums_calls(g_.node(id), v)) continue;
        ValueId back =
            take(v, from_end ? RowMap::by_sequence_from_end : RowMap::by_sequence, g_.node(id).source);
        left_.emplace(back, v);
        NodeId taker = g_.value(back).producer;
        for (NodeId k : g_.nodes.ids()) {
          Node& reader = g_.node(k);
          if (reader.kind == NodeKind::dead || reader.loop == index || k == taker) continue;
          for (size_t i = 0; i < reader.in.size(); ++i)
            if (reader.in[i] == v && !(reader.kind == NodeKind::call && reader.op->reads_layout_only(i)))
              reader.in[i] = back;
        }
        for (ValueId& out : g_.outputs)
          if (out == v) out = back;
      }
  }

  Graph& g_;
  std::unordered_map<ValueId, ValueId> left_;  // by-sequence value -> the loop's own
};

}  // namespace

void form_loops(Graph& g) { LoopFormer(g).run(); }

std::vector<NodeId> Graph::body_of(LoopId loop) const {
  std::vector<NodeId> list;
  ById<NodeId, char> state(nodes.size(), 0);
  std::vector<std::pair<NodeId, size_t>> path;
  for (NodeId root : nodes.ids()) {
    if (!is_live(root) || node(root).loop != loop || state[root]) continue;
    path.push_back({root, 0});
    state[root] = 1;
    while (!path.empty()) {
      auto& [id, next] = path.back();
      const Node& n = node(id);
      if (next == n.in.size() || is_delay(n)) {  // a delay reads earlier steps
        list.push_back(id);
        path.pop_back();
        continue;
      }
      NodeId p = value(n.in[next++]).producer;
      if (!p || node(p).loop != loop || state[p]) continue;
      state[p] = 1;
      path.push_back({p, 0});
    }
  }
  return list;
}

}  // namespace cantik::ir
