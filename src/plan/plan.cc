#include "plan/plan.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "graph/operator.h"

namespace cantik::runtime {

namespace {

std::atomic<int64_t> compiled{0}, made{0};

// Which leaves anything needs.
std::vector<bool> leaves_read(const ir::Graph& g) {
  std::vector<bool> reads(g.leaves.size(), false);
  auto read = [&](ir::ValueId v) {
    const ir::ValueInfo& i = g.value(v);
    if (i.leaf == ir::LeafKind::input || i.leaf == ir::LeafKind::parameter ||
        i.leaf == ir::LeafKind::constant)
      reads[i.leaf_index] = true;
  };
  for (const ir::Node& n : g.nodes)
    for (ir::ValueId v : n.in) read(v);
  for (ir::ValueId v : g.outputs) read(v);
  // Where values have rows, but no input that is read says how many (a sum of ones over the batch), inputs
  // are wanted for that alone.
  std::vector<Axes> told, asked;
  auto add = [](std::vector<Axes>& list, const Axes& a) {
    if (a.has_batch() && std::find(list.begin(), list.end(), a) == list.end()) list.push_back(a);
  };
  auto tell = [&](const Axes& a) {
    add(told, a);
    if (a.has_sequence()) add(told, Axes({a[0]}));
  };
  for (const ir::Node& n : g.nodes)
    for (ir::ValueId v : n.out) {
      add(asked, g.type(v).axes);
      if ((n.op && n.op->has(CANTIK_AXIS_AS_ROWS)) || g.makes_axes_of(v)) add(told, g.type(v).axes);
    }
  for (size_t i = 0; i < reads.size(); ++i)
    if (reads[i] && g.leaves[i].is_input()) tell(g.leaves[i].axes());
  for (const Axes& a : asked) {
    if (std::find(told.begin(), told.end(), a) != told.end()) continue;
    for (size_t i = 0; i < reads.size(); ++i) {
      if (!g.leaves[i].is_input()) continue;
      const Axes& have = g.leaves[i].axes();
      if (have == a || (!a.has_sequence() && have.has_sequence() && have[0] == a[0])) reads[i] = true;
    }
  }
  return reads;
}

template <class Is>
bool any_operator(const ir::Graph& g, const Is& is) {
  return std::any_of(g.nodes.begin(), g.nodes.end(), [&](const ir::Node& n) { return n.op && is(*n.op); });
}
bool lends_memory(const ir::Graph& g) {
  return any_operator(g, [](const Operator& op) { return op.has(CANTIK_LENDS); });
}
bool asks_keeper(const ir::Graph& g) {
  return any_operator(g, [](const Operator& op) { return op.needs_keeper(); });
}
// Operators that go with the graph: a plan with them is its alone.
bool has_operators_of_its_own(const ir::Graph& g) {
  return any_operator(g, [](const Operator& op) { return !op.registered; });
}

bool is_open_graph(const ir::Graph& g) {
  return g.needs.any() || std::any_of(g.values.begin(), g.values.end(), [](const ir::ValueInfo& v) {
           return v.leaf == ir::LeafKind::input && !v.type.shape.is_static();
         });
}

// A plan may outlive the user's graph.
void leave_user(ir::Graph& g) {
  g.sources.clear();
  g.leaves.erase(g.leaves.begin(), g.leaves.end() - g.further_leaves);
}

// Plans by structure, for the whole process.
ShelfOf<std::string, const Plan>& plans() {
  static auto* all = new ShelfOf<std::string, const Plan>;
  return *all;
}

}  // namespace

void Sizes::add(const Shape& s) {
  const int64_t rank = s.rank();
  key.append(reinterpret_cast<const char*>(&rank), sizeof rank);
  for (const int64_t n : s) key.append(reinterpret_cast<const char*>(&n), sizeof n);
}

Plan::Plan(ir::Graph graph) : graph_(std::move(graph)) {
  lends_ = lends_memory(graph_);
  needs_keeper_ = asks_keeper(graph_);
  reads_ = leaves_read(graph_);
  leave_user(graph_);
  charge_.set(sizeof(Plan) + bytes_held(graph_));
}

Plan::Plan(const ir::Graph& open, OpenTag) : needs_(open.needs), open_(true) {
  reads_ = leaves_read(open);
  needs_keeper_ = asks_keeper(open);
  lends_ = lends_memory(open);
  for (const ir::ValueInfo& v : open.values)
    if (v.leaf == ir::LeafKind::input && !v.type.shape.is_static() &&
        reads_[static_cast<size_t>(v.leaf_index)])
      free_.push_back(v.leaf_index);
  charge_.set(sizeof(Plan));
}

std::shared_ptr<const Plan> Plan::of(ir::Graph g, const ir::Request& r) {
  const bool shared = !has_operators_of_its_own(g);
  const std::string key = shared ? ir::structure_key(g, r) : std::string();
  if (shared)
    if (std::shared_ptr<const Plan> known = plans().find(key)) return known;
  compiled.fetch_add(1);
  std::shared_ptr<Plan> plan;
  if (is_open_graph(g)) {
    plan = std::make_shared<Plan>(g, OpenTag{});
  } else {
    ir::run_passes(g, r);
    plan = std::make_shared<Plan>(std::move(g));
  }
  plan->charge_.set(plan->bytes() + key.size());
  return shared ? plans().add(key, std::move(plan)) : plan;
}

std::shared_ptr<const Program> Plan::program(const std::string& sizes, const ir::Sources& sources,
                                             const std::function<ir::Graph()>& make) const {
  if (std::shared_ptr<const Program> known = programs_.find(sizes)) return known;
  // Without a lock: compiling takes its time, and may ask operators of the user's program for types.
  ir::Graph g = open_ ? make() : graph_;
  if (!g.needs.results.empty()) return nullptr;
  if (open_) leave_user(g);
  made.fetch_add(1, std::memory_order_relaxed);
  return programs_.add(sizes, std::make_shared<const Program>(std::move(g), sources));
}

}  // namespace cantik::runtime

namespace cantik {

int64_t plans_compiled() { return runtime::compiled.load(); }
int64_t programs_made() { return runtime::made.load(); }

}  // namespace cantik
