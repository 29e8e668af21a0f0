// Stages: which nodes run block by block together, and how many rows a block has.
//
// The size of a block depends on static shapes only, never on the number of rows or threads or on the
// machine: sums over rows add one part per block, so it decides their bits.
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "compile/schedule.h"

namespace cantik::ir {
namespace {

constexpr int64_t kCache = 768 << 10;  // bytes of a block's values that should stay near
// weights up to this many bytes are read again for each block without harm
constexpr int64_t kNearWeights = 1 << 20;
constexpr int64_t kFewRows = 12, kManyRows = 256;
// sums over rows with parts of this size, written and read, go over all rows at once where they can
constexpr int64_t kLargeSum = 128 << 10;

int64_t bytes_of(const Type& t) { return t.shape.elements() * static_cast<int64_t>(size_of(t.dtype)); }

// Bytes without rows that a node reads for each block: packed weights, mostly.
int64_t weights_of(const Graph& g, const Node& n) {
  int64_t bytes = 0;
  for (ValueId v : n.in)
    if (!g.type(v).axes.has_batch()) bytes += bytes_of(g.type(v));
  if (row_use(g, n) == RowUse::sums_rows)
    // the part is written, the sum read and written
    for (ValueId v : n.out) bytes += 2 * bytes_of(g.type(v));
  return bytes;
}

class Stager {
 public:
  Stager(const Graph& g, const std::vector<NodeId>& order)
      : g_(g),
        order_(order),
        made_(g.makers()),
        stage_(g.nodes.size(), 0),
        use_(g.nodes.size(), RowUse::whole) {
    for (NodeId id : g.nodes.ids())
      if (g.is_live(id)) use_[id] = choose_use(g.node(id));
  }

  std::vector<Stage> run() {
    for (size_t i = 0; i < order_.size();) {
      size_t end = i + 1;
      while (g_.node(order_[i]).loop && end < order_.size() &&
             g_.node(order_[end]).loop == g_.node(order_[i]).loop)
        ++end;
      int stage = 0;
      for (size_t k = i; k < end; ++k) stage = std::max(stage, stage_of(order_[k]));
      for (size_t k = i; k < end; ++k) stage_[order_[k]] = stage;
      i = end;
    }
    // Of one number: nodes on all rows, then blocks of each kind of rows, then loops.
    std::vector<Stage> stages;
    std::vector<Numbered> numbered;
    for (NodeId id : order_) {
      Stage& s = stage(numbered, stages, id);
      (s.loop || use_of(id) == RowUse::whole ? s.whole : s.blocked).push_back(id);
    }
    std::vector<size_t> by_number(stages.size());
    std::iota(by_number.begin(), by_number.end(), size_t{0});
    std::stable_sort(by_number.begin(), by_number.end(), [&](size_t a, size_t b) {
      return std::pair(numbered[a].number, numbered[a].kind) <
             std::pair(numbered[b].number, numbered[b].kind);
    });
    std::vector<Stage> sorted;
    for (size_t i : by_number) {
      bool joins = !sorted.empty() && !stages[i].blocked.empty() && sorted.back().blocked.empty() &&
                   !sorted.back().loop;
      if (joins)
        sorted.back().blocked = std::move(stages[i].blocked);
      else
        sorted.push_back(std::move(stages[i]));
    }
    for (Stage& s : sorted) s.block_rows = block_rows(s);
    return sorted;
  }

 private:
  struct Numbered {
    int number, kind;  // kind 0: whole, 1: blocks, 2: a loop
    const Axes* axes;
  };
  Stage& stage(std::vector<Numbered>& numbered, std::vector<Stage>& stages, NodeId id) const {
    const Node& n = g_.node(id);
    const int number = stage_[id], kind = n.loop ? 2 : use_of(id) == RowUse::whole ? 0 : 1;
    const Axes& axes = row_axes(g_, n);
    for (size_t i = 0; i < stages.size(); ++i)
      if (numbered[i].number == number && numbered[i].kind == kind && stages[i].loop == n.loop &&
          (kind != 1 || *numbered[i].axes == axes))
        return stages[i];
    numbered.push_back({number, kind, &axes});
    stages.emplace_back();
    stages.back().loop = n.loop;
    return stages.back();
  }

  RowUse use_of(NodeId id) const { return use_[id]; }
  bool heavy(const Node& n) const { return weights_of(g_, n) > kNearWeights; }

  // A large sum over rows that no block has just made is better off without parts: its kernel goes over all
  // rows, in chunks of its own.
  RowUse choose_use(const Node& n) const {
    if (g_.device.backend()) return RowUse::whole;  // blocks are for the host's caches
    RowUse use = row_use(g_, n);
    if (use != RowUse::sums_rows || n.kind != NodeKind::call || weights_of(g_, n) <= kLargeSum) return use;
    bool fresh = false;
    for (ValueId v : n.in)
      if (const Node* p = g_.producer(v); p && !p->loop) fresh |= row_use(g_, *p) == RowUse::row_wise;
    return fresh && !heavy(n) ? use : RowUse::whole;
  }

  int stage_of(NodeId id) const {
    const Node& n = g_.node(id);
    RowUse use = use_of(id);
    int stage = 0;
    auto not_before = [&](NodeId maker) {
      if (maker && maker != id) stage = std::max(stage, stage_[maker]);
    };
    not_before(g_.maker_of(id, made_));
    for (size_t i = 0; i < n.in.size(); ++i) {
      NodeId p = g_.value(n.in[i]).producer;
      if (!p) continue;
      const Node& from = g_.node(p);
      if (n.loop && from.loop == n.loop) continue;
      RowUse theirs = use_of(p);
      if (n.kind == NodeKind::call && n.op->reads_layout_only(i)) {
        not_before(g_.maker_of(g_.type(n.in[i]).axes, made_));
        continue;
      }
      bool other_rows = !(row_axes(g_, from) == row_axes(g_, n));
      bool barrier = from.loop ? !n.loop
                     : n.loop  ? theirs == RowUse::sums_rows
                               : theirs == RowUse::sums_rows ||
                                    (theirs == RowUse::row_wise &&
                                     (use == RowUse::whole || heavy(from) != heavy(n) || other_rows));
      stage = std::max(stage, stage_[p] + barrier);
    }
    return stage;
  }

  // As many rows as keep the values alive at one time near, but enough to make reading the weights worth it.
  int64_t block_rows(const Stage& s) const {
    std::unordered_map<ValueId, size_t> last;
    int64_t least = 1;
    for (size_t i = 0; i < s.blocked.size(); ++i) {
      const Node& n = g_.node(s.blocked[i]);
      for (ValueId v : n.in) last[v] = i;
      for (ValueId v : n.out) last[v] = i;
      int64_t weights = weights_of(g_, n);
      if (weights > kNearWeights)
        least = std::max(least, kManyRows);
      else if (weights > (16 << 10))
        least = std::max(least, kFewRows);
    }
    int64_t alive = 0, most = 1;
    ById<ValueId, char> seen(g_.values.size(), 0);
    for (size_t i = 0; i < s.blocked.size(); ++i) {
      const Node& n = g_.node(s.blocked[i]);
      auto enter = [&](ValueId v) {
        if (!g_.type(v).axes.has_batch() || seen[v]) return;
        seen[v] = 1;
        if (!is_alias(n)) alive += bytes_of(g_.type(v));
      };
      for (ValueId v : n.in) enter(v);
      for (ValueId v : n.out) enter(v);
      most = std::max(most, alive);
      for (const Values* list : {&n.in, &n.out})
        for (ValueId v : *list)
          if (seen[v] == 1 && last[v] == i) {
            seen[v] = 2;
            alive -= bytes_of(g_.type(v));
          }
    }
    int64_t rows = std::max(least, kCache / std::max<int64_t>(1, most));
    if (rows >= 4) rows = rows / 4 * 4;
    return std::min<int64_t>(rows, 4096);
  }

  const Graph& g_;
  const std::vector<NodeId>& order_;
  std::vector<std::pair<Axes, NodeId>> made_;
  ById<NodeId, int> stage_;
  ById<NodeId, RowUse> use_;
};

}  // namespace

const Axes& row_axes(const Graph& g, const Node& n) {
  static const Axes none;
  for (const Values* list : {&n.out, &n.in})
    for (ValueId v : *list)
      if (g.type(v).axes.has_batch()) return g.type(v).axes;
  return none;
}

bool is_alias(const Node& n) { return n.columns || (n.kind == NodeKind::call && n.op->has(CANTIK_ALIAS)); }

RowUse row_use(const Graph& g, const Node& n) {
  bool rows_out = !n.out.empty(), rows_in = false;
  for (ValueId v : n.out) rows_out &= g.type(v).axes.has_batch();
  for (ValueId v : n.in) rows_in |= g.type(v).axes.has_batch();
  if (n.kind == NodeKind::map)
    return rows_out ? RowUse::row_wise : n.closes && rows_in ? RowUse::sums_rows : RowUse::whole;
  if (n.op->runs_each_time()) return RowUse::whole;
  for (ValueId v : n.out)
    if (g.type(v).storage != Storage::dense) return RowUse::whole;
  for (ValueId v : n.in)  // sparse rows that the run makes; those of feeds can be entered anywhere
    if (g.type(v).storage != Storage::dense && g.value(v).producer) return RowUse::whole;
  if (rows_out && (n.op->has(CANTIK_ROW_WISE) || is_alias(n))) return RowUse::row_wise;
  if (!rows_out && rows_in && n.op->has(CANTIK_SUMS_ROWS)) return RowUse::sums_rows;
  return RowUse::whole;
}

std::vector<Stage> make_stages(const Graph& g, const std::vector<NodeId>& order) {
  return Stager(g, order).run();
}

}  // namespace cantik::ir
