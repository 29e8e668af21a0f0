// Elementwise chains become one expression: over the same rows and columns, where no path leaves the group
// and comes back.
#include <algorithm>
#include <vector>

#include "compile/core.h"
#include "compile/operands.h"
#include "compile/passes.h"
#include "compile/stated.h"
#include "graph/types.h"

namespace cantik::ir {
namespace {

constexpr size_t kMostCodes = 48, kMostInputs = 20;

class Fuser {
 public:
  explicit Fuser(Graph& g) : g_(g), order_(g.order()) {}

  void run() {
    fold_constants();
    repeat_cheap_maps();
    merge_chains();
    g_.remove_unused();
    if (g_.device.backend()) return;  // kernels of the host's memory alone take expressions in
    attach_epilogues();
    close_with_sums();
    g_.remove_unused();
  }

 private:
  bool is_map(ValueId v) const {
    const Node* n = g_.producer(v);
    return n && n->kind == NodeKind::map;
  }

  // A map that is the same number everywhere is that number to maps that read it and have its type anyway.
  void fold_constants() {
    for (NodeId id : order_) {
      Node& n = g_.node(id);
      if (n.kind != NodeKind::map) continue;
      for (size_t i = 0; i < n.in.size();) {
        const ValueInfo& v = g_.value(n.in[i]);
        if (v.leaf == LeafKind::number && n.in.size() > 1)
          substitute_number(n, i, v.number), i = 0;
        else
          ++i;
      }
      for (size_t i = 0; i < n.in.size(); ++i) {
        const Node* p = g_.producer(n.in[i]);
        if (!p || p->kind != NodeKind::map || p->out.size() != 1) continue;
        const Code& k = p->expression.result(0);
        if (k.op != CANTIK_X_CONSTANT) continue;
        bool typed_by_others = false;
        for (size_t j = 0; j < n.in.size(); ++j)
          typed_by_others |= j != i && g_.type(n.in[j]) == g_.type(n.out[0]) && !is_constant(n.in[j]);
        if (typed_by_others) substitute_number(n, i, k.value);
      }
    }
  }
  bool is_constant(ValueId v) const {
    const Node* p = g_.producer(v);
    return p && p->kind == NodeKind::map && p->expression.result(0).op == CANTIK_X_CONSTANT;
  }
  void substitute_number(Node& n, size_t input, double x) {
    Expression e;
    const Expression::Places place = e.splice(n.expression, [&](const Code& k) {
      if (static_cast<size_t>(k.a) == input) return e.constant(x);
      return e.input(k.a);
    });
    for (int32_t r : n.expression.results) e.results.push_back(place[r]);
    n.expression = std::move(e);
    tidy(n);
  }
  // Inputs that are no longer read go.
  void tidy(Node& n) {
    Values in = n.in;
    keep_read(n.expression, in);
    // A constant over free dimensions keeps an operand that has its shape.
    if (in.empty() && g_.type(n.out[0]).shape.has_free()) {
      for (ValueId v : n.in)
        if (in.empty() && g_.type(v).shape == g_.type(n.out[0]).shape) in.push_back(v);
    }
    n.in = in;
  }

  // A map of plain arithmetic whose operands are in memory anyway is made anew by each map that reads it:
  // that costs less than to write it out and to read it again.
  void repeat_cheap_maps() {
    ById<ValueId, std::vector<NodeId>> readers(g_.values.size());
    for (NodeId id : order_)
      for (ValueId v : g_.node(id).in) readers[v].push_back(id);
    ById<ValueId, char> is_result(g_.values.size(), 0);
    for (ValueId v : g_.outputs) is_result[v] = 1;
    for (NodeId id : order_) {
      const Node& p = g_.node(id);
      if (p.kind != NodeKind::map || p.loop || p.closes || p.out.size() != 1 || !is_cheap(p.expression))
        continue;
      const ValueId v = p.out[0];
      if (is_result[v] || readers[v].size() < 2 || !operands_stay(p, readers) ||
          !std::ranges::all_of(readers[v], [&](NodeId r) { return takes_in(g_.node(r), p); }))
        continue;
      for (ValueId in : p.in) std::erase(readers[in], id);
      for (NodeId r : readers[v]) {
        Node& n = g_.node(r);
        inline_input(n, static_cast<size_t>(std::find(n.in.begin(), n.in.end(), v) - n.in.begin()), p);
        for (ValueId in : p.in)
          if (std::ranges::find(readers[in], r) == readers[in].end()) readers[in].push_back(r);
      }
      readers[v].clear();
    }
  }
  static bool is_cheap(const Expression& e) {
    constexpr int kMost = 3;  // operations
    int operations = 0;
    for (const Code& k : e.codes) {
      if (k.op == CANTIK_X_INPUT || k.op == CANTIK_X_CONSTANT) continue;
      if (k.op != CANTIK_X_ADD && k.op != CANTIK_X_SUB && k.op != CANTIK_X_MUL && k.op != CANTIK_X_NEG)
        return false;
      ++operations;
    }
    return operations <= kMost;
  }
  // At most one operand is as large as the result, and that is kept for another reader too.
  bool operands_stay(const Node& map, const ById<ValueId, std::vector<NodeId>>& readers) const {
    int large = 0;
    for (ValueId v : map.in)
      if (same_elements(v, map.out[0])) large += g_.value(v).producer && readers[v].size() < 2 ? 2 : 1;
    return large <= 1;
  }
  bool takes_in(const Node& reader, const Node& map) const {
    return reader.kind == NodeKind::map && !reader.loop && !reader.closes &&
           std::ranges::all_of(reader.out, [&](ValueId v) { return same_elements(v, map.out[0]); }) &&
           reader.expression.codes.size() + map.expression.codes.size() <= kMostCodes &&
           reader.in.size() + map.in.size() <= kMostInputs;
  }

  // A map that only one other map reads, over the same elements, becomes part of it.
  void merge_chains() {
    const ById<ValueId, int32_t> uses = g_.use_counts();
    for (NodeId id : order_) {
      Node& n = g_.node(id);
      if (n.kind != NodeKind::map || n.closes) continue;
      for (size_t i = 0; i < n.in.size();) {
        const Node* p = g_.producer(n.in[i]);
        bool merge = p && n.expression.reads(static_cast<int32_t>(i)) && p->kind == NodeKind::map &&
                     p->out.size() == 1 && uses[p->out[0]] == 1 && p->loop == n.loop &&
                     same_elements(p->out[0], n.out[0]) &&
                     p->expression.codes.size() + n.expression.codes.size() <= kMostCodes &&
                     p->in.size() + n.in.size() <= kMostInputs;
        if (!merge) {
          ++i;
          continue;
        }
        inline_input(n, i, *p);
        i = 0;
      }
    }
  }
  bool same_elements(ValueId a, ValueId b) const {
    return g_.type(a).shape == g_.type(b).shape && g_.type(a).axes == g_.type(b).axes &&
           g_.type(a).dtype == g_.type(b).dtype;
  }

  void inline_input(Node& n, size_t input, const Node& p) {
    Values in = n.in;
    size_t base = in.size();
    for (ValueId v : p.in) in.push_back(v);
    Expression e;
    const Expression::Places inner =
        e.splice(p.expression, [&](const Code& k) { return e.input(static_cast<int32_t>(base) + k.a); });
    int32_t result = inner[p.expression.results[0]];
    const Expression::Places place = e.splice(n.expression, [&](const Code& k) {
      return static_cast<size_t>(k.a) == input ? result : e.input(k.a);
    });
    for (int32_t r : n.expression.results) e.results.push_back(place[r]);
    n.expression = std::move(e);
    n.in = in;
    n.op = nullptr;
    tidy(n);
  }

  // What is done to each element of a product's result is done while the result is still in cache.
  void attach_epilogues() {
    const ById<ValueId, int32_t> uses = g_.use_counts();
    for (NodeId id : order_) {
      Node& m = g_.node(id);
      if (m.kind != NodeKind::map || m.out.size() != 1) continue;
      for (size_t i = 0; i < m.in.size(); ++i) {
        ValueId v = m.in[i];
        NodeId from = g_.value(v).producer;
        if (!from || uses[v] != 1 || !same_elements(v, m.out[0])) continue;
        Node& call = g_.node(from);
        if (call.loop != m.loop || call.kind != NodeKind::call || !has_trait(call, CANTIK_EPILOGUE) ||
            !call.expression.empty() || call.out.size() != 1)
          continue;
        if (!later(from, id, i)) continue;
        attach(call, m, i);
        break;
      }
    }
  }
  // The map's other inputs do not depend on the call: it may take them as inputs.
  bool later(NodeId call, NodeId map, size_t input) const {
    std::vector<ValueId> others;
    for (size_t j = 0; j < g_.node(map).in.size(); ++j)
      if (j != input) others.push_back(g_.node(map).in[j]);
    ById<NodeId, char> seen(g_.nodes.size(), 0);
    while (!others.empty()) {
      NodeId p = g_.value(others.back()).producer;
      others.pop_back();
      if (!p || seen[p]) continue;
      if (p == call) return false;
      seen[p] = 1;
      if (g_.node(p).loop && is_delay(g_.node(p))) continue;  // of earlier steps
      for (ValueId v : g_.node(p).in) others.push_back(v);
    }
    return true;
  }
  void attach(Node& call, Node& m, size_t input) {
    Values more;
    Expression e;
    const Expression::Places place = e.splice(m.expression, [&](const Code& k) {
      if (static_cast<size_t>(k.a) == input) return e.input(0);
      ValueId v = m.in[k.a];
      auto at = std::find(more.begin(), more.end(), v);
      if (at == more.end()) more.push_back(v), at = more.end() - 1;
      return e.input(1 + static_cast<int32_t>(at - more.begin()));
    });
    e.results = {place[m.expression.results[0]]};
    ValueId result = m.out[0];
    g_.value(call.out[0]).producer = {};
    m.out.clear();
    call.expression = std::move(e);
    call.epilogue_inputs = static_cast<int32_t>(more.size());
    call.in.append(more.data(), more.size());
    call.out[0] = result;
    NodeId id = NodeId(&call - g_.nodes.data());
    g_.value(result).producer = id;
    g_.value(result).output = 0;
    m = Node();
  }

  // A sum that alone reads a map takes the map in: the terms are never written out.
  void close_with_sums() {
    const ById<ValueId, int32_t> uses = g_.use_counts();
    for (NodeId id : order_) {
      Node& sum = g_.node(id);
      if (!core::sum_to.is(sum) || uses[sum.in[0]] != 1) continue;
      Node* map = g_.producer(sum.in[0]);
      if (!map || map->kind != NodeKind::map || map->out.size() != 1 || map->closes || map->in.empty())
        continue;
      Type terms = broadcast_of(map->in);
      if (!(terms.shape == g_.type(map->out[0]).shape && terms.axes == g_.type(map->out[0]).axes)) continue;
      NodeId from = g_.value(sum.in[0]).producer;
      sum.kind = NodeKind::map;
      sum.closes = true;
      sum.op = nullptr;
      sum.expression = std::move(map->expression);
      sum.in = map->in;
      if (!sum.source) sum.source = map->source;
      g_.remove(from);
    }
  }
  Type broadcast_of(const Values& in) const {
    std::vector<Type> types;
    for (ValueId v : in) types.push_back(g_.type(v));
    return broadcast(types, "map");
  }

  Graph& g_;
  const std::vector<NodeId> order_;  // nodes only go: what is left stands in order
};

}  // namespace

void fuse(Graph& g) { Fuser(g).run(); }

}  // namespace cantik::ir
