// Maps of a loop over the same elements become one map with several results: a step then goes through them
// once, tile by tile, and what only they read is never written out.
#include <algorithm>
#include <vector>

#include "compile/passes.h"

namespace cantik::ir {
namespace {

constexpr size_t kMostGatherCodes = 80, kMostGatherInputs = 20, kMostGatherResults = 16;

class Gatherer {
 public:
  Gatherer(Graph& g, LoopId loop)
      : g_(g), body_(g.body_of(loop)), group_(g.nodes.size(), -1), readers_(g.nodes.size()) {}

  void run() {
    find_readers();
    for (NodeId id : body_) {
      group_[id] = static_cast<int32_t>(members_.size());
      members_.push_back({id});
    }
    for (NodeId id : body_)
      if (is_plain(id)) join_neighbours(id);
    for (const std::vector<NodeId>& members : members_)
      if (members.size() > 1) merge(members);
  }

 private:
  bool is_plain(NodeId id) const { return g_.node(id).kind == NodeKind::map && !g_.node(id).closes; }
  const Type& type(NodeId id) const { return g_.type(g_.node(id).out[0]); }
  int32_t group(NodeId id) const { return group_[id]; }

  // Inside one step: a delay hands on what an earlier one made.
  void find_readers() {
    for (NodeId id : body_) {
      const Node& n = g_.node(id);
      if (is_delay(n)) continue;
      for (ValueId v : n.in)
        if (NodeId p = g_.value(v).producer; p && g_.node(p).loop == n.loop) readers_[p].push_back(id);
    }
  }

  // With those it reads, then with those that read the same.
  void join_neighbours(NodeId id) {
    const Values in = g_.node(id).in;
    for (ValueId v : in)
      if (NodeId p = g_.value(v).producer; p && g_.node(p).loop == g_.node(id).loop && is_plain(p))
        join(p, id);
    for (NodeId other : body_) {
      if (other == id) break;
      if (!is_plain(other) || group(other) == group(id)) continue;
      const Values& theirs = g_.node(other).in;
      if (std::any_of(in.begin(), in.end(), [&](ValueId v) {
            return g_.type(v).axes.has_batch() && std::find(theirs.begin(), theirs.end(), v) != theirs.end();
          }))
        join(other, id);
    }
  }

  void join(NodeId a, NodeId b) {
    int32_t to = group(a), from = group(b);
    if (to == from || !(type(a) == type(b)) || !is_small(to, from) || comes_back(to, from)) return;
    auto& mine = members_[to];
    auto& theirs = members_[from];
    for (NodeId id : theirs) group_[id] = to;
    mine.insert(mine.end(), theirs.begin(), theirs.end());
    theirs.clear();
  }

  bool is_small(int32_t a, int32_t b) const {
    size_t codes = 0, inputs = 0, results = 0;
    for (int32_t i : {a, b})
      for (NodeId id : members_[i]) {
        const Node& n = g_.node(id);
        codes += n.expression.codes.size();
        results += n.out.size();
        for (ValueId v : n.in) {
          NodeId p = g_.value(v).producer;
          inputs += !p || (group(p) != a && group(p) != b);
        }
      }
    return codes <= kMostGatherCodes && inputs <= kMostGatherInputs && results <= kMostGatherResults;
  }

  // Whether a path leads out of the two groups and back: then they cannot be one node.
  bool comes_back(int32_t a, int32_t b) const {
    std::vector<char> seen(members_.size(), 0);
    std::vector<int32_t> path;
    auto leave = [&](int32_t from, bool outside) {
      for (NodeId id : members_[from])
        for (NodeId reader : readers_[id]) {
          int32_t to = group(reader);
          if (to == a || to == b) {
            if (outside) return true;
          } else if (!seen[to]) {
            seen[to] = 1;
            path.push_back(to);
          }
        }
      return false;
    };
    leave(a, false);
    leave(b, false);
    while (!path.empty()) {
      int32_t from = path.back();
      path.pop_back();
      if (leave(from, true)) return true;
    }
    return false;
  }

  // Whether anybody but the members reads it: those do not write it out.
  bool is_wanted(ValueId v, int32_t members) const {
    if (std::find(g_.outputs.begin(), g_.outputs.end(), v) != g_.outputs.end()) return true;
    return std::ranges::any_of(g_.nodes.ids(), [&](NodeId id) {
      const Values& in = g_.node(id).in;
      return g_.is_live(id) && group_[id] != members && std::find(in.begin(), in.end(), v) != in.end();
    });
  }

  void merge(std::vector<NodeId> members) {
    const int32_t index = group(members[0]);
    auto place = [&](NodeId id) { return std::find(body_.begin(), body_.end(), id); };
    std::sort(members.begin(), members.end(), [&](NodeId a, NodeId b) { return place(a) < place(b); });
    Node made;
    made.kind = NodeKind::map;
    made.loop = g_.node(members[0]).loop;
    made.source = g_.node(members[0]).source;
    std::vector<std::pair<ValueId, int32_t>> known;  // values of members: their codes
    for (NodeId id : members) {
      const Node& n = g_.node(id);
      const Expression::Places codes = made.expression.splice(n.expression, [&](const Code& k) {
        ValueId v = n.in[k.a];
        auto inner = std::find_if(known.begin(), known.end(), [&](const auto& x) { return x.first == v; });
        if (inner != known.end()) return inner->second;
        auto at = std::find(made.in.begin(), made.in.end(), v);
        if (at == made.in.end()) made.in.push_back(v), at = made.in.end() - 1;
        return made.expression.input(static_cast<int32_t>(at - made.in.begin()));
      });
      for (size_t o = 0; o < n.out.size(); ++o) known.emplace_back(n.out[o], codes[n.expression.results[o]]);
    }
    for (auto [v, code] : known)
      if (is_wanted(v, index)) made.out.push_back(v), made.expression.results.push_back(code);
    const NodeId id = g_.nodes.end_id();
    for (NodeId m : members) g_.remove(m);
    for (size_t o = 0; o < made.out.size(); ++o)
      g_.value(made.out[o]).producer = id, g_.value(made.out[o]).output = static_cast<int32_t>(o);
    g_.nodes.push_back(std::move(made));
    group_.push_back(index);
    for (NodeId m : members) group_[m] = -1;
  }

  Graph& g_;
  std::vector<NodeId> body_;
  ById<NodeId, int32_t> group_;                // of each node of the body
  std::vector<std::vector<NodeId>> members_;   // of each group
  ById<NodeId, std::vector<NodeId>> readers_;  // in the same step
};

}  // namespace

void gather_maps(Graph& g) {
  for (LoopId loop : g.loops.ids()) Gatherer(g, loop).run();
}

}  // namespace cantik::ir
