// Products of one operand around a recurrence become one: x · U, x · V as slices of x · (U V), the weights
// side by side.
//
// Gates that users write one by one run as a cell whose weights lie in one matrix. The pass comes before
// gradients, so that those are merged too: one product takes the slopes of all gates back to their operand,
// one sum over rows is the gradient of all weights.
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/components.h"
#include "compile/core.h"
#include "compile/passes.h"

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
    // by the operand, and how long the sums are
    std::map<std::pair<ValueId, int64_t>, std::vector<NodeId>> groups;
    for (NodeId id : order)
      if (is_gate(id)) groups[{g_.node(id).in[0], g_.type(g_.node(id).in[1]).shape[0]}].push_back(id);
    for (auto& [key, nodes] : groups)
      if (nodes.size() > 1) merge(key.first, nodes);
    g_.remove_unused();
  }

 private:
  void find_loops(const std::vector<NodeId>& order) {
    inside_.assign(g_.nodes.size(), 0);
    readers_.assign(g_.values.size(), {});
    for (NodeId id : order)
      for (ValueId v : g_.node(id).in) readers_[static_cast<size_t>(v)].push_back(id);
    for (const std::vector<NodeId>& c : components(order, [&](NodeId id) { return g_.producers(id); }))
      if (c.size() > 1)
        for (NodeId id : c) inside_[static_cast<size_t>(id)] = 1;
  }

  // A product of dense rows [k] with a narrow matrix that is a parameter, for the sake of a loop. Wider ones
  // fill vectors by themselves: taking the result apart, and the weights together, would cost more than one
  // call saves (a cell of 256 states loses a tenth).
  bool is_gate(NodeId id) const {
    const Node& n = g_.node(id);
    if (!core::product.is(n) || !(n.attributes == attributes_of(*n.op, {}))) return false;
    const Type &x = g_.type(n.in[0]), &w = g_.type(n.in[1]);
    return x.axes.has_sequence() && x.storage == Storage::dense && x.shape.rank() == 1 &&
           g_.value(n.in[1]).leaf == LeafKind::parameter && w.shape.rank() == 2 && w.shape.is_static() &&
           w.shape[1] < kWide && feeds_loop(n.out[0]);
  }
  // Read by a loop, at most through expressions.
  bool feeds_loop(ValueId v) const {
    std::vector<ValueId> open{v};
    std::vector<char> seen(g_.values.size(), 0);
    while (!open.empty()) {
      ValueId at = open.back();
      open.pop_back();
      if (seen[static_cast<size_t>(at)]++) continue;
      for (NodeId id : readers_[static_cast<size_t>(at)]) {
        if (inside_[static_cast<size_t>(id)]) return true;
        if (g_.node(id).kind == NodeKind::map) open.push_back(g_.node(id).out[0]);
      }
    }
    return false;
  }

  static std::vector<Attribute> attributes_of(const Operator& op,
                                              std::initializer_list<std::pair<const char*, int64_t>> given) {
    std::vector<Attribute> list;
    for (const auto& f : op.fields) list.push_back(f.value);
    for (const auto& [name, value] : given) list[static_cast<size_t>(op.field(name))] = Attribute(value);
    return list;
  }

  void merge(ValueId x, const std::vector<NodeId>& nodes) {
    const Operator &splice = core::splice.op(), &slice = core::slice.op(), &product = core::product.op();
    const int32_t source = g_.node(nodes[0]).source;
    std::vector<ValueId> weights;
    for (NodeId id : nodes) weights.push_back(g_.node(id).in[1]);
    ValueId all = g_.call(splice, attributes_of(splice, {{"axis", -1}}), weights, source)[0];
    ValueId y = g_.call(product, attributes_of(product, {}), std::array{x, all}, source)[0];
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
  std::vector<char> inside_;
  std::vector<std::vector<NodeId>> readers_;
};

}  // namespace

void merge_products(Graph& g) { Merge(g).run(); }

}  // namespace cantik::ir
