// Gradients, taken on the graph before anything is scheduled: each rule is written with operators, so the
// result is a graph again. A value's adjoint is a value like any other; where the graph has cycles, so have
// the adjoints.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/text.h"
#include "compile/core.h"
#include "compile/passes.h"

namespace cantik::ir {
namespace {

class Differentiator {
 public:
  Differentiator(Graph& g, std::span<const ValueId> wrt) : g_(g), wanted_(g.values.size(), 0) {
    for (ValueId v : wrt) wanted_[v] = 1;
    // The gradient of an observed operator is called wherever an operand can have one, as in CNTK: whoever
    // counts or looks there sees it.
    if (std::none_of(g.nodes.begin(), g.nodes.end(), is_observed)) return;
    for (ValueId v : g.values.ids())
      if (g.value(v).leaf == LeafKind::input && g.leaves[g.value(v).leaf_index].needs_gradient())
        wanted_[v] = 1;
  }

  std::vector<ValueId> run(std::span<const ValueId> roots, std::span<const ValueId> seeds,
                           std::span<const ValueId> wrt) {
    std::vector<NodeId> order = order_below(roots);
    adjoint_.assign(g_.values.size(), {});
    find_wanted(order);
    find_late(order);
    for (size_t i = 0; i < roots.size(); ++i) give(roots[i], seeds[i]);
    for (size_t i = order.size(); i-- > 0;) spread(order[i]);
    // Every part of every adjoint is there: the cells of the loops stand for them.
    for (auto [v, cell] : cells_) {
      ValueId total = adjoint_[v];
      if (!total || total == cell) total = zeros(g_.type(v));
      g_.replace_uses(cell, total);
      // what passes its gradient on as it is has the cell itself
      std::replace(adjoint_.begin(), adjoint_.end(), cell, total);
    }
    std::vector<ValueId> result;
    for (ValueId v : wrt) result.push_back(adjoint_[v]);
    return result;
  }

 private:
  static bool is_observed(const Node& n) { return n.op && n.op->has(CANTIK_OBSERVED); }
  static bool stops(const Node& n) { return n.kind == NodeKind::call && n.op->has(CANTIK_NO_GRADIENT); }

  std::vector<NodeId> order_below(std::span<const ValueId> roots) {
    std::vector<ValueId> outputs(roots.begin(), roots.end());
    std::swap(outputs, g_.outputs);
    std::vector<NodeId> effects;
    std::swap(effects, g_.effects);
    std::vector<NodeId> order = g_.order();
    std::swap(outputs, g_.outputs);
    std::swap(effects, g_.effects);
    return order;
  }

  // Forwards: what depends on something whose gradient is wanted. A loop needs another round.
  void find_wanted(const std::vector<NodeId>& order) {
    for (bool changed = true; changed;) {
      changed = false;
      for (NodeId id : order) {
        const Node& n = g_.node(id);
        if (stops(n)) continue;
        if (std::none_of(n.in.begin(), n.in.end(), [&](ValueId v) { return wanted_[v]; })) continue;
        for (ValueId v : n.out)
          if (!wanted_[v]) wanted_[v] = changed = true;
      }
    }
  }

  // Values read by a node that stands before the one that makes them: the edges that close loops. When such a
  // value's node is reached, parts of its adjoint are still to come, so a cell stands for the sum and is
  // bound at the end.
  void find_late(const std::vector<NodeId>& order) {
    late_.assign(g_.values.size(), 0);
    ById<NodeId, int32_t> position(g_.nodes.size(), -1);
    for (size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<int32_t>(i);
    for (NodeId id : order)
      for (ValueId v : g_.node(id).in)
        if (NodeId p = g_.value(v).producer; p && position[p] >= position[id]) late_[v] = 1;
  }

  // What stands for d root / d v in the rule of v's node.
  ValueId adjoint(ValueId v) {
    if (!late_[v] || !wanted_[v]) return adjoint_[v];
    ValueId cell = g_.add_leaf(LeafKind::none, g_.type(v), -1);
    cells_.push_back({v, cell});
    return cell;
  }

  ValueId zeros(const Type& t) {
    Node n;
    n.kind = NodeKind::map;
    n.expression.results = {n.expression.constant(0)};
    return g_.node(g_.add(std::move(n), {&t, 1})).out[0];
  }

  void give(ValueId v, ValueId d) {
    if (!adjoint_.has(v) || !wanted_[v] || !d) return;
    ValueId& a = adjoint_[v];
    d = summed_to(d, g_.type(v), source_);
    if (!a) {
      a = d;
      return;
    }
    if (g_.type(a).storage != Storage::dense || g_.type(d).storage != Storage::dense) {
      a = g_.call(core::add_gradients.op(), {}, std::array{a, d}, source_)[0];
      return;
    }
    Expression e;
    e.results = {e.make(CANTIK_X_ADD, e.input(0), e.input(1))};
    a = g_.map(std::move(e), std::array{a, d}, source_);
  }

  // An operand that was broadcast gets the sum over what it was broadcast along.
  ValueId summed_to(ValueId d, const Type& t, SourceId source) {
    // rows of steps, for an operand with a row for each sequence
    if (g_.type(d).axes.has_sequence() && t.axes.has_batch() && !t.axes.has_sequence())
      d = g_.dense(d, source);
    const Type have = g_.type(d);
    if (have.shape == t.shape && have.axes == t.axes) return d;
    if (have.storage != Storage::dense) return d;
    std::vector<Attribute> attributes{Attribute(t.shape), Attribute(static_cast<int64_t>(t.axes.size()))};
    return g_.call(core::sum_to.op(), std::move(attributes), std::array{d}, source)[0];
  }

  void spread(NodeId id) {
    if (stops(g_.node(id))) return;
    SmallVector<ValueId, 4> dy;
    bool any = false;
    for (ValueId v : g_.node(id).out) {
      dy.push_back(adjoint(v));
      any |= bool(dy.back());
    }
    if (!any) return;
    Values in = g_.node(id).in, out = g_.node(id).out;
    source_ = g_.node(id).source;
    if (g_.node(id).kind == NodeKind::map) {
      for (size_t i = 0; i < in.size(); ++i)
        if (wanted_[in[i]]) give(in[i], derivative_of(id, i, dy[0]));
      return;
    }
    const Operator& op = *g_.node(id).op;
    std::vector<uint8_t> wanted;
    for (ValueId v : in) wanted.push_back(static_cast<uint8_t>(wanted_[v]));
    if (std::none_of(wanted.begin(), wanted.end(), [](uint8_t w) { return w; })) return;
    if (op.has(CANTIK_ALIAS) && !op.gradient) {
      // The same numbers under another type.
      std::vector<Attribute> attributes{Attribute(g_.type(in[0]).shape)};
      give(in[0],
           g_.call(core::view.op(), std::move(attributes), std::array{g_.dense(dy[0], source_)}, source_)[0]);
      return;
    }
    if (!op.gradient) throw no_gradient(op);
    std::vector<Attribute> attributes = g_.node(id).attributes;
    if (op.facts.saves != CANTIK_SAVES_NOTHING)  // its gradient is a kernel that reads all of them
      for (size_t i = 0; i < dy.size(); ++i)
        if (dy[i]) dy[i] = in_full(dy[i], g_.type(out[i]));
    const NodeId first = g_.nodes.end_id();
    GraphBuilder b(g_, op, attributes, in, source_);
    b.gradients(out, dy, wanted);
    Values dx = b.run(op.gradient);
    for (NodeId made : g_.nodes.ids_from(first))
      if (is_observed(g_.node(made))) g_.effects.push_back(made);
    for (size_t i = 0; i < in.size(); ++i)
      if (wanted[i]) check_gradient(op, i, in[i], dx[i]), give(in[i], dx[i]);
  }

  // A rule's gradient has the shape of its operand, or one that the operand was broadcast to.
  void check_gradient(const Operator& op, size_t operand, ValueId v, ValueId d) {
    if (!d || g_.value(d).leaf == LeafKind::number) return;
    const Type &want = g_.type(v), &have = g_.type(d);
    const int behind = have.shape.rank() - want.shape.rank();
    bool fits = behind >= 0 && have.dtype == want.dtype;
    for (int i = 0; fits && i < want.shape.rank(); ++i) {
      const int64_t a = want.shape[i], b = have.shape[i + behind];
      fits = a == b || a == 1 || a < 0 || b < 0;
    }
    if (fits) return;
    Error e = runtime_error(cat("the gradient rule of ", op.name, " returned ", name_of(have.dtype),
                                have.shape.text(), " for operand ", operand, ", which is ",
                                name_of(want.dtype), want.shape.text()))
                  .remedy("return a gradient of the operand's shape and element type");
    if (!op.library.empty()) e = Error(e).line("library", op.library);
    if (source_) rethrow_with(e, *g_.sources[source_]);
    throw e;
  }

  // A gradient with every element written out.
  ValueId in_full(ValueId d, const Type& t) {
    d = g_.dense(d, source_);
    if (g_.value(d).producer && g_.type(d).shape == t.shape && g_.type(d).axes == t.axes) return d;
    Node n;
    n.kind = NodeKind::map;
    if (g_.value(d).leaf == LeafKind::number)
      n.expression.results = {n.expression.constant(g_.value(d).number)};
    else
      n.in = {d}, n.expression.results = {n.expression.input(0)};
    Type full = t;
    full.storage = Storage::dense;
    return g_.node(g_.add(std::move(n), {&full, 1})).out[0];
  }

  ValueId derivative_of(NodeId id, size_t i, ValueId dy) {
    const Node& n = g_.node(id);
    bool own = n.op && !n.op->derivatives.empty();
    // live attributes are further inputs
    int32_t inputs = own ? n.op->inputs_max : static_cast<int32_t>(n.in.size());
    if (static_cast<int32_t>(i) >= inputs) return {};
    Values in;
    in.append(n.in.data(), static_cast<size_t>(inputs));
    in.push_back(n.out[0]);
    in.push_back(dy);
    SourceId source = n.source;
    Expression d;
    if (own) {
      const Operator& op = *n.op;
      std::vector<Attribute> attributes = n.attributes;
      d = g_.with_attributes(op, op.derivatives[i], attributes, source, in);
    } else {
      d = derivative(n.expression, static_cast<int32_t>(i), inputs);
    }
    return map_used(std::move(d), in, source);
  }

  // A map over only those inputs that the expression reads.
  ValueId map_used(Expression e, const Values& in, SourceId source) {
    e.drop_unused();  // inputs that were traced and not used would hold on to values
    Expression tidy;
    Values used;
    const Expression::Places place = tidy.splice(e, [&](const Code& k) {
      ValueId v = in[k.a];
      auto at = std::find(used.begin(), used.end(), v);
      if (at == used.end()) used.push_back(v), at = used.end() - 1;
      return tidy.input(static_cast<int32_t>(at - used.begin()));
    });
    tidy.results = {place[e.results[0]]};
    if (used.empty())
      return tidy.is_constant(tidy.results[0], 0) ? ValueId()
                                                  : g_.number(tidy.result(0).value, g_.type(in[0]).dtype);
    return g_.map(std::move(tidy), used, source);
  }

  Error no_gradient(const Operator& op) {
    Error e = unsupported(cat(op.name, " has no gradient"));
    if (!source_) return e;
    const cantik::Node& n = *g_.sources[source_];
    return std::move(e).node(describe(n)).made_at(n.made_at.text()).remedy("put stop_gradient around it");
  }

  Graph& g_;
  ById<ValueId, char> wanted_, late_;
  ById<ValueId, ValueId> adjoint_;
  std::vector<std::pair<ValueId, ValueId>> cells_;
  SourceId source_;
};

}  // namespace

std::vector<ValueId> differentiate(Graph& g, std::span<const ValueId> roots, std::span<const ValueId> seeds,
                                   std::span<const ValueId> wrt) {
  return Differentiator(g, wrt).run(roots, seeds, wrt);
}

}  // namespace cantik::ir
