// Small products in and around loops that read the same rows become one: their weights stand side by side, and what each would have
// made are columns of the result. A column's bits do not depend on its neighbours.
#include <algorithm>
#include <vector>

#include "compile/passes.h"

namespace cantik::ir {
namespace {

constexpr int64_t kMostBytes = 128 << 10;  // of weights together: beyond that a product by itself is long enough, and weights would be moved for nothing

class Merger {
 public:
  explicit Merger(Graph& g) : g_(g) {}

  void run() {
    if (g_.loops.empty()) return;
    std::vector<NodeId> products;
    for (NodeId id : g_.order())
      if (is_plain(g_.node(id))) products.push_back(id);
    while (!products.empty()) {
      std::vector<NodeId> same, others;
      int64_t bytes = 0;
      for (NodeId id : products) {
        const Node &n = g_.node(id), &first = g_.node(products[0]);
        int64_t own = bytes_of(n.in[1]);
        bool fits = n.in[0] == first.in[0] && n.loop == first.loop && n.attributes[0] == first.attributes[0] && bytes + own <= kMostBytes;
        if (fits) bytes += own;
        (fits || id == products[0] ? same : others).push_back(id);
      }
      if (same.size() > 1) merge(same);
      products = others;
    }
    g_.remove_unused();
  }

 private:
  int64_t bytes_of(ValueId v) const { return g_.type(v).shape.elements() * static_cast<int64_t>(size_of(g_.type(v).dtype)); }

  // One line a row, and weights in whole panels of two vectors; in a loop, or read by one.
  bool is_plain(const Node& n) const {
    if (n.kind != NodeKind::call || n.op->name != "packed_product" || n.in.size() != 2 || !g_.type(n.in[0]).axes.has_batch()) return false;
    const Node* pack = g_.producer(n.in[1]);
    const Shape &panels = g_.type(n.in[1]).shape, &out = g_.type(n.out[0]).shape;
    if (!pack || pack->op == nullptr || pack->op->name != "pack_panels" || !panels.is_static() || panels.rank() != 3 || out.rank() != 1) return false;
    if (panels[0] % 2 != 0 || panels[0] * panels[2] != out[0] || g_.type(n.in[0]).shape.rank() != n.attributes[0].integer()) return false;
    return n.loop >= 0 || std::any_of(g_.nodes.begin(), g_.nodes.end(), [&](const Node& r) { return r.loop >= 0 && std::find(r.in.begin(), r.in.end(), n.out[0]) != r.in.end(); });
  }

  void merge(const std::vector<NodeId>& same) {
    const int32_t loop = g_.node(same[0]).loop, source = g_.node(same[0]).source;
    const ValueId a = g_.node(same[0]).in[0];
    const Attribute inner = g_.node(same[0]).attributes[0];
    std::vector<ValueId> panels;
    int64_t width = 0;
    for (NodeId id : same) {
      panels.push_back(g_.node(id).in[1]);
      width += g_.type(g_.node(id).out[0]).shape[0];
    }
    const Registry& registry = Registry::global();
    ValueId all = g_.call(registry.get("splice_axis"), {Attribute(-3)}, panels, source)[0];
    ValueId product = g_.call(registry.get("packed_product"), {inner, Attribute(Shape{width})}, std::vector<ValueId>{a, all}, source)[0];
    g_.producer(product)->loop = loop;
    const Operator& slice = registry.get("slice_axes");
    int64_t first = 0;
    for (NodeId id : same) {
      const ValueId old = g_.node(id).out[0];
      const int64_t end = first + g_.type(old).shape[0];
      std::vector<Attribute> attributes;
      for (const FieldInfo& f : slice.fields) attributes.push_back(f.name == "axis" ? Attribute(-1) : f.name == "begin" ? Attribute(first) : f.name == "end" ? Attribute(end) : f.name == "stride" ? Attribute(1) : f.value);
      ValueId part = g_.call(slice, std::move(attributes), std::vector<ValueId>{product}, source)[0];
      g_.producer(part)->loop = loop;
      g_.replace_uses(old, part);
      first = end;
    }
  }

  Graph& g_;
};

}  // namespace

void merge_products(Graph& g) { Merger(g).run(); }

}  // namespace cantik::ir
