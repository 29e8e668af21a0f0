#include "runtime/bound_plans.h"

#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include <cantik/user_operator.h>

#include "base/text.h"
#include "graph/node.h"
#include "execute/draws.h"
#include "runtime/sizes.h"

namespace cantik::runtime {

namespace {

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

std::unordered_set<Node*> BoundPlans::checked_nodes(const ir::Request& r) const {
  if (r.outputs.empty() && r.roots.empty())
    throw value_error(
        cat("At least one output has to be specified when calling Forward method of the Function '",
            wrap(root_).text(), "'."))
        .remedy("evaluate a function that has outputs");
  std::unordered_set<Node*> all = nodes_below(root_.get());
  auto known = [&](const std::vector<Variable>& list, const char* what) {
    for (const Variable& v : list)
      if (!all.count(v.node().get()) && !all.count(computed(v).node().get()))
        throw value_error(cat(what, " ", v.text(), ", which is not part of the function"))
            .node(wrap(root_).text());
  };
  known(r.outputs, "an output was asked for,");
  known(r.roots, "a gradient was asked for of");
  known(r.wrt, "a gradient was asked for with respect to");
  return all;
}

std::shared_ptr<BoundPlan> BoundPlans::known(const ir::Request& r) {
  return plans_.find(r, [checked = checked_mode()](const BoundPlan& p) { return p.fits(checked); });
}

std::shared_ptr<BoundPlan> BoundPlans::of(const ir::Request& r, const Feeds* feeds) {
  if (std::shared_ptr<BoundPlan> plan = known(r)) return plan;
  if (root_ && await_sizes(checked_nodes(r)) && feeds) take_sizes(root_, *feeds);
  return made(r);
}

std::shared_ptr<BoundPlan> BoundPlans::unless_sizes_are_awaited(const ir::Request& r) {
  if (std::shared_ptr<BoundPlan> plan = known(r)) return plan;
  return await_sizes(checked_nodes(r)) ? nullptr : made(r);
}

void BoundPlans::ask_for_samples() {
  for (const Node* n : nodes_below(root_.get()))
    if (n->object && n->object->tells_sizes) n->object->tells_samples = true;
  plans_.clear();
}

std::shared_ptr<BoundPlan> BoundPlans::made(const ir::Request& r) {
  const bool checked = checked_mode();
  ir::Request request = r;
  if (checked) request.unfused = request.checked = true;
  // Without a lock: compiling takes its time, and may ask operators of the user's program.
  std::shared_ptr<BoundPlan> plan = bind(std::move(request), draws_);
  plans_.remove(r, [&](const BoundPlan& p) { return !p.fits(checked); });
  return plans_.add(r, std::move(plan));
}

BoundPlans& bound_plans_of(const Function& f) {
  Composite& c = *f.composite();
  std::lock_guard lock(c.mutex);
  if (!c.engine) c.engine = std::make_shared<BoundPlans>(f.node());
  return *static_cast<BoundPlans*>(c.engine.get());
}

}  // namespace cantik::runtime
