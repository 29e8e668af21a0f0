// Columns: slices without copies, and gradients of slices side by side.
#include "compile/columns.h"

#include <algorithm>
#include <vector>

#include "compile/core.h"
#include "compile/passes.h"
#include "compile/schedule.h"
#include "compile/stated.h"

namespace cantik::ir {

namespace {

// Elements of everything behind an axis; 0 where the axes in front of it are not all of size 1.
int64_t run_length(const Shape& s, int axis) {
  int64_t behind = 1;
  for (int i = 0; i < s.rank(); ++i) {
    if (i < axis && s[i] != 1) return 0;
    if (i > axis) behind *= s[i];
  }
  return behind;
}

bool takes_part(const Node& n) { return n.op && n.op->facts.parts == CANTIK_TAKES_PART; }
bool puts_part(const Node& n) { return n.op && n.op->facts.parts == CANTIK_PUTS_PART; }
bool joins_parts(const Node& n) { return n.op && n.op->facts.parts == CANTIK_JOINS_PARTS; }

}  // namespace

std::optional<Columns> columns_of(const Graph& g, const Node& n) {
  if (!takes_part(n) && !puts_part(n)) return {};
  const std::optional<PartOf> part = part_of(g, n);
  if (!part) return {};
  const bool takes = takes_part(n);
  const int64_t behind = run_length(g.type(takes ? n.in[0] : n.out[0]).shape, part->axis);
  if (behind == 0) return {};
  return Columns{part->begin * behind, g.type(takes ? n.out[0] : n.in[0]).shape.elements()};
}

std::optional<Columns> spliced_columns(const Graph& g, const Node& n, size_t i) {
  if (!joins_parts(n)) return {};
  const std::optional<PartOf> parts = part_of(g, n);
  const Shape& whole = g.type(n.out[0]).shape;
  if (!parts || run_length(whole, parts->axis) == 0) return {};
  int64_t first = 0;
  for (size_t k = 0; k < n.in.size(); ++k) {
    const Type& t = g.type(n.in[k]);
    Shape expected = whole;
    if (t.shape.rank() != whole.rank() || t.axes != g.type(n.out[0]).axes) return {};
    expected[parts->axis] = t.shape[parts->axis];
    if (!(t.shape == expected)) return {};  // it broadcasts
    if (k == i) return Columns{first, t.shape.elements()};
    first += t.shape.elements();
  }
  return {};
}

namespace {

// The gradient of a value that is read in slices is a sum of rows, each zero beyond its slice. Where the
// slices lie side by side and fill the row, their gradients do too.
class Joiner {
 public:
  explicit Joiner(Graph& g) : g_(g) {}

  void run() {
    if (std::none_of(g_.nodes.begin(), g_.nodes.end(), puts_part)) return;
    uses_ = g_.use_counts();
    for (NodeId id : g_.order())
      if (is_sum(id) && !is_term(g_.node(id).out[0])) join(id);
    g_.remove_unused();
  }

 private:
  bool is_sum(NodeId id) const {
    const Node& n = g_.node(id);
    if (n.kind != NodeKind::map || n.in.size() != 2 || n.out.size() != 1 || n.closes ||
        n.expression.codes.size() != 3)
      return false;
    const Code& k = n.expression.result(0);
    return k.op == CANTIK_X_ADD && k.a != k.b && g_.type(n.in[0]) == g_.type(n.in[1]);
  }
  // Of a larger sum, and of nothing else.
  bool is_term(ValueId v) const {
    if (uses_[v] != 1) return false;
    for (NodeId id : g_.nodes.ids())
      if (const Node& n = g_.node(id);
          n.kind == NodeKind::map && std::find(n.in.begin(), n.in.end(), v) != n.in.end())
        return is_sum(id);
    return false;
  }

  void join(NodeId id) {
    struct Part {
      Columns at;
      ValueId v;
    };
    std::vector<Part> parts;
    std::vector<ValueId> terms(g_.node(id).in.begin(), g_.node(id).in.end());
    const Type type = g_.type(g_.node(id).out[0]);
    int64_t axis = 0;
    while (!terms.empty()) {
      ValueId v = terms.back();
      terms.pop_back();
      NodeId p = g_.value(v).producer;
      if (!p) return;
      if (is_sum(p) && uses_[v] == 1) {
        terms.push_back(g_.node(p).in[0]);
        terms.push_back(g_.node(p).in[1]);
        continue;
      }
      std::optional<Columns> at = columns_of(g_, g_.node(p));
      if (!at || g_.type(v).shape != type.shape) return;
      parts.push_back({*at, g_.node(p).in[0]});
      axis = part_of(g_, g_.node(p))->axis;
    }
    std::sort(parts.begin(), parts.end(),
              [](const Part& a, const Part& b) { return a.at.first < b.at.first; });
    int64_t end = 0;
    std::vector<ValueId> in;
    for (const Part& p : parts) {
      if (p.at.first != end || g_.type(p.v).axes != type.axes) return;
      end += p.at.count;
      in.push_back(p.v);
    }
    if (end != type.shape.elements()) return;
    SourceId source = g_.node(id).source;
    ValueId whole = g_.call(core::splice.op(), {Attribute(axis - type.shape.rank())}, in, source)[0];
    if (g_.type(whole) == type) g_.replace_uses(g_.node(id).out[0], whole);
  }

  Graph& g_;
  ById<ValueId, int32_t> uses_;
};

// Around loops slices and splices are places in rows: what they move would be moved in every step.
class ColumnPlacer {
 public:
  explicit ColumnPlacer(Graph& g) : g_(g), readers_(g.values.size()), taken_(g.values.size(), 0) {}

  void run() {
    if (g_.loops.empty()) return;
    nest();
    for (NodeId id : g_.nodes.ids())
      for (size_t k = 0; k < g_.node(id).in.size(); ++k) readers_[g_.node(id).in[k]].push_back({id, k});
    for (ValueId v : g_.outputs) taken_[v] = 1;
    for (NodeId id : g_.order()) {
      Node& n = g_.node(id);
      n.columns = takes_part(n) ? may_be_read(n) : joins_parts(n) && may_be_written(n);
      if (!n.columns) continue;
      if (takes_part(n))
        taken_[n.out[0]] = 1;
      else
        for (ValueId v : n.in) taken_[v] = 1;
    }
  }

 private:
  struct Reader {
    NodeId node;
    size_t operand;
  };

  // A splice of what another one has side by side already reads that: a value has one place.
  void nest() {
    std::vector<NodeId> splices;
    for (NodeId id : g_.order())
      if (joins_parts(g_.node(id))) splices.push_back(id);
    for (NodeId whole : splices)
      for (NodeId part : splices) {
        Values& in = g_.node(whole).in;
        const Values& theirs = g_.node(part).in;
        if (theirs.size() < 2 || theirs.size() >= in.size() || !spliced_columns(g_, g_.node(whole), 0) ||
            !spliced_columns(g_, g_.node(part), 0))
          continue;
        auto at = std::search(in.begin(), in.end(), theirs.begin(), theirs.end());
        if (at == in.end() || part_of(g_, g_.node(whole))->axis != part_of(g_, g_.node(part))->axis) continue;
        Values left;
        left.append(in.begin(), static_cast<size_t>(at - in.begin()));
        left.push_back(g_.node(part).out[0]);
        left.append(at + theirs.size(), static_cast<size_t>(in.end() - at) - theirs.size());
        in = left;
      }
  }
  bool is_rows(ValueId v) const {
    return g_.type(v).axes.has_batch() && g_.type(v).storage == Storage::dense;
  }
  bool all_read_columns(ValueId v) const {
    return std::all_of(readers_[v].begin(), readers_[v].end(),
                       [&](const Reader& r) { return reads_columns(r.node, r.operand); });
  }
  // Whether the node reads rows at any distance from one another.
  bool reads_columns(NodeId id, size_t operand) const {
    const Node& n = g_.node(id);
    if (n.kind == NodeKind::map) return true;
    if (is_delay(n)) return n.loop && operand == 0;
    if (!n.op->has(CANTIK_ANY_STRIDE)) return false;
    bool epilogue = operand + static_cast<size_t>(n.epilogue_inputs) >= n.in.size();
    return takes_part(n) || joins_parts(n) ||
           (g_.type(n.in[operand]).shape.rank() <= 1 &&
            (!epilogue || (n.loop && g_.type(n.out[0]).shape.rank() <= 1)));
  }

  bool may_be_read(const Node& n) const {
    ValueId v = n.out[0];
    auto in_loop = [&](const Reader& r) { return bool(g_.node(r.node).loop); };
    const std::vector<Reader>& readers = readers_[v];
    return columns_of(g_, n) && is_rows(v) && is_rows(n.in[0]) && !taken_[v] &&
           (n.loop || std::any_of(readers.begin(), readers.end(), in_loop)) && all_read_columns(v);
  }

  bool may_be_written(const Node& n) const {
    bool in_loop = bool(n.loop);
    for (size_t i = 0; i < n.in.size(); ++i) {
      ValueId v = n.in[i];
      const Node* p = g_.producer(v);
      if (!p || !is_rows(v) || taken_[v] || !spliced_columns(g_, n, i) ||
          std::count(n.in.begin(), n.in.end(), v) != 1)
        return false;
      bool writes = (p->columns && joins_parts(*p)) || (p->kind == NodeKind::map && !p->closes) ||
                    (p->loop && is_delay(*p));
      if (!writes || !all_read_columns(v)) return false;
      in_loop |= bool(p->loop);
    }
    return in_loop && is_rows(n.out[0]);
  }

  Graph& g_;
  ById<ValueId, std::vector<Reader>> readers_;
  ById<ValueId, char> taken_;  // which have a place already
};

}  // namespace

void join_parts(Graph& g) { Joiner(g).run(); }
void place_columns(Graph& g) { ColumnPlacer(g).run(); }

}  // namespace cantik::ir
