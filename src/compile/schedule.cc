#include "compile/schedule.h"

#include <algorithm>

namespace cantik::ir {
namespace {

bool is_alias(const Node& n) { return n.kind == NodeKind::call && n.op->has(CANTIK_ALIAS); }

// An elementwise node with one result reads everything before it writes the same place.
bool may_run_in_place(const Node& n) {
  return (n.kind == NodeKind::map && n.out.size() == 1) || (n.kind == NodeKind::call && n.op->has(CANTIK_IN_PLACE));
}

class Scheduler {
 public:
  explicit Scheduler(const Graph& g) : g_(g), root_(g.values.size()) {
    s_.places.resize(g.values.size());
    for (size_t i = 0; i < root_.size(); ++i) root_[i] = static_cast<ValueId>(i);
  }

  Schedule run() {
    split();
    place_leaves();
    find_aliases();
    place_sparse();
    place_outputs();
    place_setup();
    place_frame();
    for (size_t i = 0; i < root_.size(); ++i) s_.places[i] = s_.places[static_cast<size_t>(root_[i])];
    return std::move(s_);
  }

 private:
  size_t root(ValueId v) const { return static_cast<size_t>(root_[static_cast<size_t>(v)]); }

  // Nodes below which there are only parameters and constants run once per version, unless they are alone in being wanted.
  void split() {
    std::vector<char> apart(g_.values.size(), 0);
    for (size_t i = 0; i < g_.values.size(); ++i) {
      LeafKind k = g_.values[i].leaf;
      apart[i] = k == LeafKind::parameter || k == LeafKind::constant || k == LeafKind::number;
    }
    std::vector<NodeId> order = g_.order(), effects;
    for (NodeId id : order) {
      const Node& n = g_.node(id);
      bool all = !(n.kind == NodeKind::call && n.op->has(CANTIK_DRAWS | CANTIK_EFFECT));
      for (ValueId v : n.in) all &= apart[static_cast<size_t>(v)] != 0;
      for (ValueId v : n.out) all &= std::find(g_.outputs.begin(), g_.outputs.end(), v) == g_.outputs.end();
      if (g_.mode == Mode::training && n.kind != NodeKind::call) all = false;  // parameters change in every step anyway
      for (ValueId v : n.in) all &= g_.type(v).storage == Storage::dense;
      for (ValueId v : n.out) all &= g_.type(v).storage == Storage::dense;
      for (ValueId v : n.out) apart[static_cast<size_t>(v)] = all;
      if (n.kind == NodeKind::call && n.op->has(CANTIK_EFFECT)) effects.push_back(id);
      else (all ? s_.setup : s_.order).push_back(id);
    }
    s_.order.insert(s_.order.end(), effects.begin(), effects.end());  // reads in the run see the old values
  }

  void place_leaves() {
    for (size_t i = 0; i < g_.values.size(); ++i) {
      const ValueInfo& v = g_.values[i];
      switch (v.leaf) {
        case LeafKind::input: s_.places[i] = {Where::feed, v.leaf_index}; break;
        case LeafKind::parameter:
        case LeafKind::constant: s_.places[i] = {Where::stored, v.leaf_index}; break;
        case LeafKind::number: s_.places[i] = {Where::number, static_cast<int32_t>(i)}; break;
        case LeafKind::live: s_.places[i] = {Where::live, v.leaf_index}; break;
        case LeafKind::none: break;
      }
    }
  }

  void find_aliases() {
    for (const std::vector<NodeId>* list : {&s_.setup, &s_.order})
      for (NodeId id : *list)
        if (const Node& n = g_.node(id); is_alias(n)) root_[static_cast<size_t>(n.out[0])] = static_cast<ValueId>(root(n.in[0]));
  }

  // Sparse rows that the run makes. How many entries they may have follows from those of the feeds.
  void place_sparse() {
    std::vector<SparseSlot> entries(g_.values.size());
    for (size_t i = 0; i < g_.values.size(); ++i)
      if (g_.values[i].leaf == LeafKind::input && g_.values[i].type.storage != Storage::dense) entries[i].feeds.push_back(g_.values[i].leaf_index);
    for (NodeId id : s_.order) {
      const Node& n = g_.node(id);
      for (ValueId v : n.out) {
        const Type& t = g_.type(v);
        if (t.storage == Storage::dense) continue;
        SparseSlot& e = entries[static_cast<size_t>(v)];
        if (is_alias(n)) {
          e = entries[root(n.in[0])];
          continue;
        }
        e.value = v;
        if (t.storage == Storage::row_sparse) e.most = t.shape[0];
        if (t.entries > 0) {
          bool rows = t.storage == Storage::csr ? t.axes.has_batch() : std::any_of(n.in.begin(), n.in.end(), [&](ValueId x) { return g_.type(x).axes.has_batch(); });
          (rows ? e.per_row : e.fixed) = t.entries;
        } else {
          for (ValueId x : n.in) {
            const SparseSlot& from = entries[root(x)];
            if (g_.type(x).storage == Storage::dense) continue;
            e.fixed += from.fixed;
            e.per_row += from.per_row;
            e.feeds.insert(e.feeds.end(), from.feeds.begin(), from.feeds.end());
          }
        }
        s_.places[static_cast<size_t>(v)] = {Where::sparse, static_cast<int32_t>(s_.sparse.size())};
        s_.sparse.push_back(e);
      }
    }
    for (size_t i = 0; i < g_.outputs.size(); ++i)
      if (Place& p = s_.places[root(g_.outputs[i])]; p.where == Where::sparse) s_.sparse[static_cast<size_t>(p.index)].output = static_cast<int32_t>(i);
  }

  void place_outputs() {
    for (size_t i = 0; i < g_.outputs.size(); ++i)
      if (Place& p = s_.places[root(g_.outputs[i])]; p.where == Where::nowhere) p = {Where::output, static_cast<int32_t>(i)};
  }

  void place_setup() {
    for (NodeId id : s_.setup) {
      if (is_alias(g_.node(id))) continue;
      for (ValueId v : g_.node(id).out) {
        Place& p = s_.places[root(v)];
        if (p.where != Where::nowhere) continue;
        p = {Where::setup, static_cast<int32_t>(s_.setup_values.size())};
        s_.setup_values.push_back(v);
      }
    }
  }

  // Greedy by liveness: a value takes the smallest free slot of its kind that is large enough, or makes the largest larger.
  void place_frame() {
    std::vector<int32_t> last(g_.values.size(), -1);
    for (size_t i = 0; i < s_.order.size(); ++i) {
      const Node& n = g_.node(s_.order[i]);
      for (ValueId v : n.in) last[root(v)] = static_cast<int32_t>(i);
      for (ValueId v : n.out) last[root(v)] = std::max(last[root(v)], static_cast<int32_t>(i));
    }
    std::vector<int32_t> free;
    auto release = [&](ValueId v, size_t step) {
      const Place& p = s_.places[root(v)];
      if (p.where == Where::frame && last[root(v)] == static_cast<int32_t>(step) && std::find(free.begin(), free.end(), p.index) == free.end()) free.push_back(p.index);
    };
    for (size_t i = 0; i < s_.order.size(); ++i) {
      const Node& n = g_.node(s_.order[i]);
      if (is_alias(n)) {
        for (ValueId v : n.in) release(v, i);
        continue;
      }
      bool in_place = may_run_in_place(n);
      if (in_place) {
        const Type& t = g_.type(n.out[0]);
        if (s_.places[root(n.out[0])].where == Where::nowhere)
          for (ValueId v : n.in)  // the very slot of an operand of the same type, if nobody needs it any more
            if (Place& p = s_.places[root(v)]; p.where == Where::frame && last[root(v)] == static_cast<int32_t>(i) && g_.type(v).axes == t.axes &&
                                                g_.type(v).dtype == t.dtype && g_.type(v).shape.elements() == t.shape.elements() &&
                                                s_.places[root(n.out[0])].where == Where::nowhere)
              s_.places[root(n.out[0])] = p;
      }
      for (ValueId v : n.out) {
        Place& p = s_.places[root(v)];
        if (p.where != Where::nowhere) continue;
        const Type& t = g_.type(v);
        p = {Where::frame, take({t.axes.has_batch(), (t.shape.elements() * static_cast<int64_t>(size_of(t.dtype)) + 63) / 64 * 64}, free, t)};
      }
      for (ValueId v : n.in)
        if (s_.places[root(v)].index != s_.places[n.out.empty() ? root(v) : root(n.out[0])].index || s_.places[root(v)].where != Where::frame || n.out.empty()) release(v, i);
      for (ValueId v : n.out) release(v, i);
    }
  }

  int32_t take(Slot wanted, std::vector<int32_t>& free, const Type& t) {
    wanted.row_bytes = t.shape.elements() * static_cast<int64_t>(size_of(t.dtype));
    size_t best = free.size();
    for (size_t k = 0; k < free.size(); ++k) {
      const Slot& s = s_.slots[static_cast<size_t>(free[k])];
      if (s.has_rows != wanted.has_rows) continue;
      if (best == free.size()) {
        best = k;
        continue;
      }
      const Slot& b = s_.slots[static_cast<size_t>(free[best])];
      bool fits = s.row_bytes >= wanted.row_bytes, best_fits = b.row_bytes >= wanted.row_bytes;
      if (fits ? (!best_fits || s.row_bytes < b.row_bytes) : (!best_fits && s.row_bytes > b.row_bytes)) best = k;
    }
    if (best == free.size()) {
      s_.slots.push_back(wanted);
      return static_cast<int32_t>(s_.slots.size() - 1);
    }
    int32_t slot = free[best];
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(best));
    Slot& s = s_.slots[static_cast<size_t>(slot)];
    s.row_bytes = std::max(s.row_bytes, wanted.row_bytes);
    return slot;
  }

  const Graph& g_;
  Schedule s_;
  std::vector<ValueId> root_;
};

}  // namespace

Schedule schedule(const Graph& g) { return Scheduler(g).run(); }

}  // namespace cantik::ir
