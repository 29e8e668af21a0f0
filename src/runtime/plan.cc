// Programs of a plan: one, or one for each combination of free dimensions that came.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "graph/object.h"
#include "runtime/engine.h"

namespace cantik::runtime {

namespace {

constexpr size_t kMostPrograms = 64;  // sizes that never come back must not fill the memory
std::atomic<int64_t> made{0};

// Which leaves anything needs.
std::vector<bool> leaves_read(const ir::Graph& g) {
  std::vector<bool> reads(g.leaves.size(), false);
  auto read = [&](ir::ValueId v) {
    const ir::ValueInfo& i = g.value(v);
    if (i.leaf == ir::LeafKind::input || i.leaf == ir::LeafKind::parameter ||
        i.leaf == ir::LeafKind::constant)
      reads[static_cast<size_t>(i.leaf_index)] = true;
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
      if (n.op && n.op->has(CANTIK_AXIS_AS_ROWS | CANTIK_OWN_AXIS)) add(told, g.type(v).axes);
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

bool lends_memory(const ir::Graph& g) {
  return std::any_of(g.nodes.begin(), g.nodes.end(),
                     [](const ir::Node& n) { return n.op && n.op->object && n.op->object->lends; });
}

bool has_objects(const ir::Graph& g) {
  return std::any_of(g.nodes.begin(), g.nodes.end(), [](const ir::Node& n) { return n.op && n.op->object; });
}

// A plan may outlive the user's graph.
void leave_user(ir::Graph& g) {
  g.sources.clear();
  g.leaves.erase(g.leaves.begin(), g.leaves.end() - g.further_leaves);
}

}  // namespace

int64_t programs_made() { return made.load(); }

Plan::Plan(ir::Graph graph) : graph_(std::move(graph)) {
  lends_ = lends_memory(graph_);
  calls_objects_ = has_objects(graph_);
  reads_ = leaves_read(graph_);
  leave_user(graph_);
}

bool Plan::is_open(const ir::Graph& g) {
  bool open = g.needs.any();
  for (const ir::ValueInfo& v : g.values) open |= v.leaf == ir::LeafKind::input && !v.type.shape.is_static();
  return open;
}

Plan::Plan(const ir::Graph& open, OpenTag) : needs_(open.needs), open_(true) {
  reads_ = leaves_read(open);
  calls_objects_ = has_objects(open);
  lends_ = lends_memory(open);
  for (const ir::ValueInfo& v : open.values)
    if (v.leaf == ir::LeafKind::input && !v.type.shape.is_static()) free_.push_back(v.leaf_index);
}

std::shared_ptr<const Program> Plan::program(const std::vector<Shape>& shapes,
                                             std::span<const std::shared_ptr<Node>> sources,
                                             const std::function<ir::Graph()>& make) const {
  auto find = [&]() -> std::shared_ptr<const Program> {
    for (auto it = programs_.begin(); it != programs_.end(); ++it)
      if (it->first == shapes) {
        std::rotate(it, it + 1, programs_.end());  // the last one is the one used last
        return programs_.back().second;
      }
    return nullptr;
  };
  {
    std::lock_guard lock(mutex_);
    if (std::shared_ptr<const Program> p = find()) return p;
  }
  // Without the lock: compiling takes its time, and may ask objects of the user's program for types.
  ir::Graph g = open_ ? make() : graph_;
  if (!g.needs.results.empty()) return nullptr;
  if (open_) leave_user(g);
  auto program = std::make_shared<const Program>(std::move(g), sources);
  std::lock_guard lock(mutex_);
  if (std::shared_ptr<const Program> other = find()) return other;
  made.fetch_add(1, std::memory_order_relaxed);
  if (programs_.size() >= kMostPrograms) programs_.erase(programs_.begin());
  programs_.emplace_back(shapes, program);
  return program;
}

}  // namespace cantik::runtime
