// The seam of a differentiated graph: between what can run before the gradients of the roots are known, and
// what waits for them.
#include <algorithm>
#include <span>
#include <vector>

#include "compile/passes.h"

namespace cantik::ir {

namespace {

class Seam {
 public:
  Seam(Graph& g, const Request& r)
      : g_(g), outputs_(r.outputs.size()), late_(g.values.size(), 0), crosses_(g.values.size(), 0) {
    find_late();
    // Parameters are assigned when everything has been computed, gradients included.
    for (NodeId id : g.effects)
      if (waits(id)) effects_.push_back(id);
    find_crossing();
  }

  void keep_forward() {
    g_.outputs.resize(outputs_);
    g_.outputs.insert(g_.outputs.end(), crossing_.begin(), crossing_.end());
    // What nobody asked the second part for is not called.
    std::erase_if(g_.effects, [&](NodeId id) { return waits(id) || follows(id); });
    for (ValueInfo& v : g_.values)
      if (is_seed(v)) v.leaf = LeafKind::none;
    g_.leaves.resize(g_.leaves.size() - static_cast<size_t>(g_.further_leaves));
    g_.further_leaves = 0;
    g_.remove_unused();
  }

  void keep_backward(const std::vector<int32_t>& only) {
    g_.effects = effects_;  // the others happened in the first part
    g_.outputs.erase(g_.outputs.begin(), g_.outputs.begin() + static_cast<std::ptrdiff_t>(outputs_));
    for (ValueId v : crossing_) g_.replace_uses(v, further_input(g_, g_.type(v)));
    // The lengths that the first part has made come with its values. They are not made again.
    for (const auto& [axes, maker] : g_.makers())
      if (!follows(maker) && brings_rows_of(axes)) g_.remove(maker);
    std::vector<ValueId> wanted;
    for (int32_t i : only) wanted.push_back(g_.outputs[i]);
    g_.outputs = wanted;
    g_.remove_unused();
  }

 private:
  bool is_seed(const ValueInfo& v) const {
    return v.leaf == LeafKind::input &&
           v.leaf_index >= static_cast<int32_t>(g_.leaves.size()) - g_.further_leaves;
  }
  bool waits(NodeId id) const { return g_.node(id).op->facts.stores; }
  bool follows(NodeId id) const {
    const Node& n = g_.node(id);
    return !n.out.empty() && late_[n.out[0]];
  }

  bool brings_rows_of(const Axes& axes) const {
    return std::any_of(crossing_.begin(), crossing_.end(),
                       [&](ValueId v) { return g_.type(v).axes == axes; });
  }

  void find_late() {
    for (ValueId v : g_.values.ids()) late_[v] = is_seed(g_.value(v));
    const std::vector<NodeId> order = g_.order();
    for (bool changed = true; changed;) {  // a recurrence needs another round
      changed = false;
      for (NodeId id : order) {
        bool any = false;
        for (ValueId v : g_.node(id).in) any |= late_[v] != 0;
        if (!any) continue;
        for (ValueId v : g_.node(id).out)
          if (!late_[v]) late_[v] = changed = true;
      }
    }
  }

  // What the second part reads of the first. Elementwise constants are made again rather than kept.
  void find_crossing() {
    for (NodeId id : g_.order())
      if (follows(id)) cross(g_.node(id).in);
    for (NodeId id : effects_) cross(g_.node(id).in);
    cross(std::span(g_.outputs).subspan(outputs_));
  }
  void cross(std::span<const ValueId> read) {
    for (ValueId v : read) {
      if (late_[v] || !g_.value(v).producer || crosses_[v]) continue;
      crosses_[v] = 1;
      crossing_.push_back(v);
    }
  }

  Graph& g_;
  const size_t outputs_;
  ById<ValueId, char> late_, crosses_;
  std::vector<NodeId> effects_;  // of the second part
  std::vector<ValueId> crossing_;
};

}  // namespace

ValueId further_input(Graph& g, const Type& t) {
  Type dense = t;
  if (t.storage == Storage::row_sparse) dense.storage = Storage::dense;
  g.leaves.push_back(
      input(t.shape, {.dtype = t.dtype, .sparse = dense.storage == Storage::csr, .axes = t.axes}));
  ++g.further_leaves;
  return g.add_leaf(LeafKind::input, dense, static_cast<int32_t>(g.leaves.size() - 1));
}

void cut_at_seam(Graph& g, const Request& r) {
  if (r.part == Part::whole) return;
  Seam seam(g, r);
  r.part == Part::forward ? seam.keep_forward() : seam.keep_backward(r.only);
}

}  // namespace cantik::ir
