// Products of one operand around a recurrence become one: x · U, x · V as slices of x · (U V), the weights
// side by side.
//
// Gates that users write one by one run as a cell whose weights lie in one matrix. The pass comes before
// gradients, so that those are merged too: one product takes the slopes of all gates back to their operand,
// one sum over rows is the gradient of all weights.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/components.h"
#include "compile/core.h"
#include "compile/passes.h"
#include "compile/stated.h"

namespace cantik::ir {
namespace {

constexpr int64_t kWide = 32;  // columns

class Merge {
 public:
  explicit Merge(Graph& g) : g_(g) {}

  void run() {
    std::vector<NodeId> order = g_.order();
    if (std::none_of(order.begin(), order.end(), [&](NodeId id) { return is_delay(g_.node(id)); })) return;
    find_loops(order);
    std::vector<std::vector<NodeId>> groups;
    for (NodeId id : order) {
      if (!is_gate(id)) continue;
      auto like = std::find_if(groups.begin(), groups.end(),
                               [&](const std::vector<NodeId>& gates) { return are_alike(gates[0], id); });
      if (like == groups.end()) like = groups.insert(like, std::vector<NodeId>());
      like->push_back(id);
    }
    for (const std::vector<NodeId>& gates : groups)
      if (gates.size() > 1) merge(gates);
    g_.remove_unused();
  }

 private:
  void find_loops(const std::vector<NodeId>& order) {
    inside_.assign(g_.nodes.size(), 0);
    readers_.assign(g_.values.size(), {});
    for (NodeId id : order)
      for (ValueId v : g_.node(id).in) readers_[v].push_back(id);
    for (const std::vector<NodeId>& c : components(order, [&](NodeId id) { return g_.producers(id); }))
      if (c.size() > 1)
        for (NodeId id : c) inside_[id] = 1;
  }

  // A product of dense rows [k] with a narrow matrix that is a parameter, for the sake of a loop. Wider ones
  // fill vectors by themselves: taking the result apart, and the weights together, would cost more than one
  // call saves (a cell of 256 states loses a tenth).
  bool is_gate(NodeId id) const {
    const Node& n = g_.node(id);
    if (n.kind != NodeKind::call || !n.op->facts.axis_names || n.in.size() != 2 || n.out.size() != 1)
      return false;
    const Type &x = g_.type(n.in[0]), &w = g_.type(n.in[1]);
    return x.axes.has_sequence() && x.storage == Storage::dense && x.shape.rank() == 1 &&
           g_.value(n.in[1]).leaf == LeafKind::parameter && w.shape.rank() == 2 && w.shape.is_static() &&
           w.shape[1] < kWide && is_by_columns(n) && feeds_loop(n.out[0]);
  }
  // Whether each column of the result is that of the second operand, summed with the first: the columns may
  // be made in parts, and the parts together.
  bool is_by_columns(const Node& n) const {
    const std::optional<AxesByName> axes = axis_names(g_, n);
    if (!axes || axes->in[0].size() != 1 || axes->in[1].size() != 2 || axes->out[0].size() != 1) return false;
    const int32_t summed = axes->in[0][0], column = axes->out[0][0];
    return summed != column && axes->in[1] == AxesByName::List{summed, column};
  }
  // Whether the two do the same to one operand, in sums of one length.
  bool are_alike(NodeId a, NodeId b) const {
    const Node &x = g_.node(a), &y = g_.node(b);
    return x.in[0] == y.in[0] && x.op == y.op && x.attributes == y.attributes &&
           g_.type(x.in[1]).shape[0] == g_.type(y.in[1]).shape[0];
  }
  // Read by a loop, at most through expressions.
  bool feeds_loop(ValueId v) const {
    std::vector<ValueId> open{v};
    ById<ValueId, char> seen(g_.values.size(), 0);
    while (!open.empty()) {
      ValueId at = open.back();
      open.pop_back();
      if (seen[at]++) continue;
      for (NodeId id : readers_[at]) {
        if (inside_[id]) return true;
        if (g_.node(id).kind == NodeKind::map) open.push_back(g_.node(id).out[0]);
      }
    }
    return false;
  }

  static std::vector<Attribute> attributes_of(const Operator& op,
                                              std::initializer_list<std::pair<const char*, int64_t>> given) {
    std::vector<Attribute> list;
    for (const auto& f : op.fields) list.push_back(f.value);
    for (const auto& [name, value] : given) list[op.field(name)] = Attribute(value);
    return list;
  }

  void merge(const std::vector<NodeId>& nodes) {
    const Operator &splice = core::splice.op(), &slice = core::slice.op();
    const SourceId source = g_.node(nodes[0]).source;
    std::vector<ValueId> weights;
    for (NodeId id : nodes) weights.push_back(g_.node(id).in[1]);
    ValueId all = g_.call(splice, attributes_of(splice, {{"axis", -1}}), weights, source)[0];
    const Node first = g_.node(nodes[0]);
    ValueId y = g_.call(*first.op, first.attributes, std::array{first.in[0], all}, source)[0];
    int64_t at = 0;
    for (NodeId id : nodes) {
      const ValueId part = g_.node(id).out[0];
      const int64_t width = g_.type(part).shape[0];
      g_.replace_uses(part,
                      g_.call(slice, attributes_of(slice, {{"axis", 0}, {"begin", at}, {"end", at + width}}),
                              std::array{y}, g_.node(id).source)[0]);
      at += width;
    }
  }

  Graph& g_;
  ById<NodeId, char> inside_;
  ById<ValueId, std::vector<NodeId>> readers_;
};

}  // namespace

void merge_products(Graph& g) { Merge(g).run(); }

}  // namespace cantik::ir
