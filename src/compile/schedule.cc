#include "compile/schedule.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>

#include "base/memory.h"
#include "compile/columns.h"
#include "compile/stores.h"

namespace cantik::ir {
namespace {

int64_t row_bytes(const Type& t) {
  return static_cast<int64_t>(bytes_of(t.shape.elements(), size_of(t.dtype)));
}

// Operands whose memory a result may take, as (operand, result). An elementwise node with one result reads
// everything before it writes the same place. A call may write its first result over its first operand, or
// the pairs that its operator states.
std::vector<std::pair<size_t, size_t>> in_place_pairs(const Node& n) {
  std::vector<std::pair<size_t, size_t>> pairs;
  if (n.kind == NodeKind::map && n.out.size() == 1 && !n.closes)
    for (size_t i = 0; i < n.in.size(); ++i)
      if (!n.is_spread(i)) pairs.emplace_back(i, 0);
  if (n.kind != NodeKind::call || n.on_device || !n.op->has(CANTIK_IN_PLACE)) return pairs;
  for (const auto& [operand, result] : n.op->facts.reuses)
    if (operand < n.in.size() && result < n.out.size()) pairs.emplace_back(operand, result);
  if (n.op->facts.reuses.empty() && !n.in.empty() && !n.out.empty()) pairs.emplace_back(0, 0);
  return pairs;
}

// Greedy by liveness: a value takes the smallest free slot of its kind that is large enough, or makes the
// largest one larger.
class SlotPool {
 public:
  explicit SlotPool(std::vector<Slot>& slots) : slots_(slots) {}

  int32_t take(int32_t space, int64_t bytes, bool on_device) {
    size_t best = free_.size();
    for (size_t k = 0; k < free_.size(); ++k) {
      const Slot& s = at(free_[k]);
      if (s.space != space || s.on_device != on_device) continue;
      if (best == free_.size() || better(s, at(free_[best]), bytes)) best = k;
    }
    if (best == free_.size()) {
      slots_.push_back({space, bytes, on_device});
      return static_cast<int32_t>(slots_.size() - 1);
    }
    int32_t slot = free_[best];
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(best));
    Slot& s = slots_[slot];
    s.row_bytes = std::max(s.row_bytes, bytes);
    return slot;
  }
  void release(int32_t slot) { free_.push_back(slot); }
  void release_all() {
    free_.clear();
    for (size_t i = 0; i < slots_.size(); ++i) free_.push_back(static_cast<int32_t>(i));
  }

 private:
  const Slot& at(int32_t i) const { return slots_[i]; }
  static bool better(const Slot& a, const Slot& b, int64_t bytes) {
    bool fits = a.row_bytes >= bytes, best_fits = b.row_bytes >= bytes;
    return fits ? (!best_fits || a.row_bytes < b.row_bytes) : (!best_fits && a.row_bytes > b.row_bytes);
  }
  std::vector<Slot>& slots_;
  std::vector<int32_t> free_;
};

class Scheduler {
 public:
  explicit Scheduler(const Graph& g) : g_(g), order_(g.order()), links_(g.values.size()) {
    s_.places.resize(g.values.size());
    root_.reserve(g.values.size());
    for (ValueId v : g.values.ids()) root_.push_back(v);
  }

  Schedule run() {
    find_spaces();
    split();
    place_leaves();
    find_aliases();
    place_sparse();
    place_outputs();
    place_setup();
    find_lives();
    place_frame();
    place_blocks();
    for (ValueId v : g_.values.ids())
      if (root(v) != v) {
        const Place& whole = place(v);
        s_.places[v] = {whole.where, whole.index, links_[v].offset, links_[v].pitch};
      }
    return std::move(s_);
  }

 private:
  // A value's life in steps: a whole node is a step, the blocked nodes of a stage are one step together.
  struct Life {
    int first = -1, last = -1;
    bool within = true;  // made and read by the blocked nodes of one stage
  };

  // A value that lies in another's memory: from which column on, and how wide that one's rows are (0: they
  // are its own).
  struct Link {
    ValueId to;
    int64_t offset = 0, pitch = 0;
  };

  ValueId root(ValueId v) const { return root_[v]; }
  Place& place(ValueId v) { return s_.places[root(v)]; }

  void find_spaces() {
    s_.spaces.push_back(Axes());
    for (const ValueInfo& v : g_.values) {
      const bool there = v.producer || v.leaf == LeafKind::input;
      auto at = there ? std::find(s_.spaces.begin(), s_.spaces.end(), v.type.axes) : s_.spaces.begin();
      s_.space.push_back(static_cast<int32_t>(at - s_.spaces.begin()));
      if (at == s_.spaces.end()) s_.spaces.push_back(v.type.axes);
    }
  }
  bool is_columns(ValueId v) const { return links_[v].pitch > 0; }
  int64_t root_bytes(ValueId v) const { return row_bytes(g_.type(root(v))); }
  // Whether the node may write its result over v, which it reads for the last time.
  bool may_overwrite(const Node& n, ValueId v, ValueId result) const {
    auto same = [&](ValueId u) { return root(u) == root(v); };
    return !is_columns(v) && !is_columns(result) && row_bytes(g_.type(v)) == row_bytes(g_.type(result)) &&
           g_.is_on_device(v) == g_.is_on_device(result) &&
           std::count_if(n.in.begin(), n.in.end(), same) == 1;
  }
  int32_t space(ValueId v) const { return s_.space[v]; }

  // Values whose memory goes to the caller: the outputs, and the values that those are views of.
  ById<ValueId, char> handed_out() const {
    ById<ValueId, char> out(g_.values.size(), 0);
    for (ValueId v : g_.outputs) {
      out[v] = 1;
      for (const Node* n = g_.producer(v); n && is_alias(*n) && !n->columns; n = g_.producer(v)) {
        v = n->in[0];
        out[v] = 1;
      }
    }
    return out;
  }

  // Nodes below which there are only parameters and constants run once per version, unless their values are
  // wanted.
  void split() {
    const ById<ValueId, char> out = handed_out();
    ById<ValueId, char> apart(g_.values.size(), 0);
    for (ValueId v : g_.values.ids()) {
      const LeafKind k = g_.value(v).leaf;
      apart[v] = k == LeafKind::parameter || k == LeafKind::constant || k == LeafKind::number;
    }
    std::vector<NodeId> run;
    for (NodeId id : order_) {
      const Node& n = g_.node(id);
      bool all = !(n.kind == NodeKind::call && n.op->runs_each_time());
      for (ValueId v : n.in) all &= apart[v] != 0;
      // rows are counted in a run
      for (ValueId v : n.out) all &= !out[v] && !g_.type(v).axes.has_batch();
      // parameters change in every step anyway
      if (g_.mode == Mode::training && n.kind != NodeKind::call) all = false;
      for (ValueId v : n.in) all &= g_.type(v).storage == Storage::dense;
      for (ValueId v : n.out) all &= g_.type(v).storage == Storage::dense;
      for (ValueId v : n.out) apart[v] = all;
      if (n.kind == NodeKind::call && n.op->has(CANTIK_EFFECT))
        s_.effects.push_back(id);
      else
        (all ? s_.setup : run).push_back(id);
    }
    std::sort(s_.effects.begin(), s_.effects.end());  // as they were written
    if (g_.stores_in_place && !s_.effects.empty()) {
      std::vector<NodeId> late = nodes_for_effects(g_, order_);
      std::erase_if(late, [&](NodeId id) { return std::find(run.begin(), run.end(), id) == run.end(); });
      std::erase_if(run, [&](NodeId id) { return std::find(late.begin(), late.end(), id) != late.end(); });
      in_place_ = stores_in_place(g_, late, s_.effects);
      s_.effects.insert(s_.effects.begin(), late.begin(), late.end());
    }
    s_.stages = make_stages(g_, run);
  }

  void place_leaves() {
    for (ValueId v : g_.values.ids()) {
      const ValueInfo& i = g_.value(v);
      switch (i.leaf) {
        case LeafKind::input: s_.places[v] = {Where::feed, i.leaf_index}; break;
        case LeafKind::parameter:
        case LeafKind::constant: s_.places[v] = {Where::stored, i.leaf_index}; break;
        case LeafKind::number: s_.places[v] = {Where::number, v.number()}; break;
        case LeafKind::live: s_.places[v] = {Where::live, i.leaf_index}; break;
        case LeafKind::none: break;
      }
    }
  }

  void find_aliases() {
    for (NodeId id : order_) {
      const Node& n = g_.node(id);
      if (!is_alias(n)) continue;
      if (std::optional<Columns> c = n.columns ? columns_of(g_, n) : std::nullopt) {
        links_[n.out[0]] = {n.in[0], c->first, g_.type(n.in[0]).shape.elements()};
      } else if (n.columns) {
        for (size_t i = 0; i < n.in.size(); ++i)
          links_[n.in[i]] = {n.out[0], spliced_columns(g_, n, i)->first, g_.type(n.out[0]).shape.elements()};
      } else {
        links_[n.out[0]] = {n.in[0], 0, 0};
      }
    }
    ById<ValueId, Link> resolved;
    for (ValueId v : links_.ids()) {
      Link whole{v, 0, 0};
      for (Link next = links_[v]; next.to; next = links_[next.to])
        whole = {next.to, whole.offset + next.offset, next.pitch ? next.pitch : whole.pitch};
      root_[v] = whole.to;
      resolved.push_back(whole);
    }
    links_ = std::move(resolved);
  }

  // Sparse rows that the run makes. How many entries they may have follows from those of the feeds.
  void place_sparse() {
    ById<ValueId, SparseSlot> entries(g_.values.size());
    for (ValueId v : g_.values.ids())
      if (g_.value(v).leaf == LeafKind::input && g_.type(v).storage != Storage::dense)
        entries[v].feeds.push_back(g_.value(v).leaf_index);
    for (NodeId id : order_) {
      const Node& n = g_.node(id);
      for (ValueId v : n.out) {
        const Type& t = g_.type(v);
        if (t.storage == Storage::dense) continue;
        SparseSlot& e = entries[v];
        if (is_alias(n)) {
          e = entries[root(n.in[0])];
          continue;
        }
        e.value = v;
        e.on_device = n.on_device;
        if (t.storage == Storage::row_sparse) e.most = t.shape[0];
        if (t.entries > 0) {
          bool rows = t.storage == Storage::csr ? t.axes.has_batch()
                                                : std::any_of(n.in.begin(), n.in.end(), [&](ValueId x) {
                                                    return g_.type(x).axes.has_batch();
                                                  });
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
        s_.places[v] = {Where::sparse, static_cast<int32_t>(s_.sparse.size())};
        s_.sparse.push_back(e);
      }
    }
    for (size_t i = 0; i < g_.outputs.size(); ++i)
      if (const Place& p = place(g_.outputs[i]); p.where == Where::sparse)
        s_.sparse[p.index].output = static_cast<int32_t>(i);
  }

  void place_outputs() {
    for (auto [v, to] : in_place_)
      if (Place& p = place(v); p.where == Where::nowhere && root(v) == v) p = s_.places[to];
    for (size_t i = 0; i < g_.outputs.size(); ++i)
      if (Place& p = place(g_.outputs[i]); p.where == Where::nowhere)
        p = {Where::output, static_cast<int32_t>(i)};
  }

  void place_setup() {
    for (NodeId id : s_.setup) {
      if (is_alias(g_.node(id))) continue;
      for (ValueId v : g_.node(id).out) {
        Place& p = place(v);
        if (p.where != Where::nowhere) continue;
        p = {Where::setup, static_cast<int32_t>(s_.setup_values.size())};
        s_.setup_values.push_back(v);
      }
    }
  }

  void find_lives() {
    lives_.resize(g_.values.size());
    int step = 0;
    auto see = [&](NodeId id, int at, bool blocked) {
      const Node& n = g_.node(id);
      bool delay = n.loop && is_delay(n);
      // who got it may look at it until the run is over
      bool lent = n.kind == NodeKind::call && n.op->has(CANTIK_LENDS);
      for (const Values* list : {&n.out, &n.in})
        for (ValueId v : *list) {
          Life& l = lives_[root(v)];
          if (l.first < 0) l.first = at;
          bool earlier_step = delay && list == &n.in;  // all steps of what a delay reads are kept
          l.within &= blocked && l.first == at && g_.type(v).axes.has_batch() && !earlier_step;
          l.last = lent ? std::numeric_limits<int>::max() : std::max(l.last, at);
        }
    };
    for (const Stage& s : s_.stages) {
      if (s.loop) {
        for (NodeId id : s.whole) see(id, step, true);
        ++step;
        continue;
      }
      for (NodeId id : s.whole) see(id, step++, false);
      for (NodeId id : s.blocked) see(id, step, true);
      ++step;
    }
    for (NodeId id : s_.effects) see(id, step++, false);
  }

  // Values that live beyond one block.
  void place_frame() {
    SlotPool pool(s_.slots);
    std::vector<std::vector<ValueId>> ends;
    int step = 0;
    auto enter = [&](NodeId id, bool blocked, int at) {
      const Node& n = g_.node(id);
      if (is_alias(n)) return;
      if (!blocked) reuse_input(n, at);
      for (ValueId v : n.out) {
        const Life& l = lives_[root(v)];
        Place& p = place(v);
        if (p.where != Where::nowhere || (l.within && blocked)) continue;
        p = {Where::frame, pool.take(space(v), root_bytes(v), n.on_device)};
      }
    };
    auto leave = [&](int at) {
      for (ValueId v : lives_.ids())
        if (lives_[v].last == at && s_.places[v].where == Where::frame && root(v) == v &&
            !handed_on_.count(v))
          pool.release(s_.places[v].index);
    };
    for (const Stage& s : s_.stages) {
      if (s.loop) {
        for (NodeId id : s.whole) enter(id, true, step);
        leave(step++);
        continue;
      }
      for (NodeId id : s.whole) enter(id, false, step), leave(step), ++step;
      for (NodeId id : s.blocked) enter(id, true, step);
      leave(step++);
    }
    for (NodeId id : s_.effects) enter(id, false, step), leave(step), ++step;
  }

  // The very slot of an operand of the same size, if nobody needs it any more.
  void reuse_input(const Node& n, int at) {
    for (auto [i, o] : in_place_pairs(n)) {
      const ValueId v = n.in[i], result = n.out[o];
      if (place(result).where != Where::nowhere || place(v).where != Where::frame ||
          lives_[root(v)].last != at)
        continue;
      if (g_.type(v).axes != g_.type(result).axes || !may_overwrite(n, v, result) ||
          handed_on_.count(root(v)))
        continue;
      place(result) = place(v);
      handed_on_.insert(root(v));
    }
  }

  // Values of one block: the same game inside each stage, on the memory of a worker.
  void place_blocks() {
    SlotPool pool(s_.block_slots);
    for (const Stage& s : s_.stages) {
      pool.release_all();
      const std::vector<NodeId>& blocked = s.loop ? s.whole : s.blocked;
      ById<ValueId, int> last(g_.values.size(), -1);
      for (size_t i = 0; i < blocked.size(); ++i) {
        const Node& n = g_.node(blocked[i]);
        for (const Values* list : {&n.in, &n.out})
          for (ValueId v : *list) last[root(v)] = static_cast<int>(i);
      }
      for (size_t i = 0; i < blocked.size(); ++i) {
        const Node& n = g_.node(blocked[i]);
        if (is_alias(n)) {
          release_dead(n, static_cast<int>(i), last, pool, {});
          continue;
        }
        SmallVector<ValueId, 2> taken;  // roots of operands whose slots have gone to results
        for (auto [k, o] : in_place_pairs(n)) {
          const ValueId v = n.in[k], result = n.out[o];
          if (place(result).where != Where::nowhere ||
              std::find(taken.begin(), taken.end(), root(v)) != taken.end())
            continue;
          if (place(v).where != Where::block || last[root(v)] != static_cast<int>(i) ||
              !may_overwrite(n, v, result))
            continue;
          place(result) = place(v);
          taken.push_back(root(v));
        }
        for (ValueId v : n.out) {
          Place& p = place(v);
          if (p.where == Where::nowhere) p = {Where::block, pool.take(1, root_bytes(v), n.on_device)};
        }
        release_dead(n, static_cast<int>(i), last, pool, taken);
      }
    }
  }
  void release_dead(const Node& n, int at, const ById<ValueId, int>& last, SlotPool& pool,
                    const SmallVector<ValueId, 2>& taken) {
    std::vector<ValueId> gone;
    for (const Values* list : {&n.in, &n.out})
      for (ValueId v : *list) {
        const ValueId r = root(v);
        if (s_.places[r].where != Where::block || last[r] != at ||
            std::find(gone.begin(), gone.end(), r) != gone.end())
          continue;
        gone.push_back(r);
        if (std::find(taken.begin(), taken.end(), r) == taken.end()) pool.release(s_.places[r].index);
      }
  }

  const Graph& g_;
  const std::vector<NodeId> order_;
  Schedule s_;
  ById<ValueId, Link> links_;  // to its root, once aliases are found
  ById<ValueId, ValueId> root_;
  ById<ValueId, Life> lives_;
  std::vector<std::pair<ValueId, ValueId>> in_place_;  // values made in the memory of a parameter or constant
  std::unordered_set<ValueId> handed_on_;              // their slot goes on as their reader's
};

}  // namespace

Schedule schedule(const Graph& g) { return Scheduler(g).run(); }

}  // namespace cantik::ir
