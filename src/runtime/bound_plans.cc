#include "runtime/bound_plans.h"

#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "base/text.h"
#include "graph/node.h"
#include "execute/draws.h"

namespace cantik::runtime {

namespace {

// Functions and leaves of a graph, inside blocks too. Every new graph is walked through: no handle is copied.
std::unordered_set<const Node*> nodes_below(const Node* root) {
  std::unordered_set<const Node*> all;
  std::vector<const Node*> open{root};
  auto enter = [&](const Node* n) {
    while (n->kind == Node::Kind::placeholder && !n->is_block_argument && n->bound) n = n->bound.node();
    open.push_back(n);
  };
  while (!open.empty()) {
    const Node* n = open.back();
    open.pop_back();
    if (!all.insert(n).second) continue;
    for (const Edge& e : n->inputs) enter(e.node());
    if (!n->block) continue;
    enter(n->block->root.node());
    for (const auto& [inside, outside] : n->block->arguments) enter(outside.node());
  }
  return all;
}

std::shared_ptr<BoundPlan> bind(ir::Request request, std::shared_ptr<Draws> draws) {
  ir::Graph g = ir::imported(request);
  std::vector<Variable> leaves = g.leaves;
  Sources sources;
  for (const Node* n : g.sources) sources.push_back(n->handle());
  std::shared_ptr<const Plan> plan = Plan::of(std::move(g), request);
  return std::make_shared<BoundPlan>(std::move(plan), std::move(leaves), std::move(sources), std::move(draws),
                                     std::move(request));
}

}  // namespace

BoundPlans::BoundPlans(const std::shared_ptr<Node>& root) : root_(root), draws_(std::make_shared<Draws>()) {}

void BoundPlans::check(const ir::Request& r) const {
  if (r.outputs.empty() && r.roots.empty())
    throw value_error(
        cat("At least one output has to be specified when calling Forward method of the Function '",
            wrap(root_).text(), "'."))
        .remedy("evaluate a function that has outputs");
  const std::unordered_set<const Node*> all = nodes_below(root_.get());
  auto known = [&](const std::vector<Variable>& list, const char* what) {
    for (const Variable& v : list)
      if (!all.count(v.node().get()) && !all.count(computed(v).node().get()))
        throw value_error(cat(what, " ", v.text(), ", which is not part of the function"))
            .node(wrap(root_).text());
  };
  known(r.outputs, "an output was asked for,");
  known(r.roots, "a gradient was asked for of");
  known(r.wrt, "a gradient was asked for with respect to");
}

std::shared_ptr<BoundPlan> BoundPlans::of(const ir::Request& r) {
  const bool checked = checked_mode();
  auto fits = [&](const BoundPlan& p) { return p.fits(checked); };
  if (std::shared_ptr<BoundPlan> known = plans_.find(r, fits)) return known;
  if (root_) check(r);
  ir::Request made = r;
  if (checked) made.apart = made.checked = true;
  // Without a lock: compiling takes its time, and may ask operators of the user's program.
  std::shared_ptr<BoundPlan> plan = bind(std::move(made), draws_);
  plans_.remove(r, [&](const BoundPlan& p) { return !fits(p); });
  return plans_.add(r, std::move(plan));
}

BoundPlans& bound_plans_of(const Function& f) {
  Composite& c = *f.composite();
  std::lock_guard lock(c.mutex);
  if (!c.engine) c.engine = std::make_shared<BoundPlans>(f.node());
  return *static_cast<BoundPlans*>(c.engine.get());
}

}  // namespace cantik::runtime
