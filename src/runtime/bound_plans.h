// The way to a run: the bound plans of one composite, by request. Evaluation, gradients, the steps of a
// training, forward and backward are requests.
#pragma once

#include <memory>
#include <unordered_set>

#include "runtime/bound_plan.h"

namespace cantik::runtime {

class CANTIK_API BoundPlans {
 public:
  explicit BoundPlans(const std::shared_ptr<Node>& root);
  // For parts of a graph whose streams of random numbers these are.
  explicit BoundPlans(std::shared_ptr<Draws> draws) : draws_(std::move(draws)) {}

  // What is asked for is in the graph. Sizes that only data tell (sizes.h) are those of `feeds`.
  std::shared_ptr<BoundPlan> of(const ir::Request& r, const Feeds* feeds = nullptr);
  // None where the graph awaits such sizes.
  std::shared_ptr<BoundPlan> unless_sizes_are_awaited(const ir::Request& r);
  // OtherSamples was thrown: from now on all user operators of the graph that can are asked how many samples
  // their results have, since those that read one another may depend on it. Plans made before do not ask.
  void ask_for_samples();
  const Draws& draws() const { return *draws_; }
  // Plans made from now on have the streams of another composite.
  void draw_from(const BoundPlans& other) { draws_ = other.draws_; }

 private:
  std::shared_ptr<BoundPlan> known(const ir::Request& r);  // the plan that is there already, or none
  std::shared_ptr<BoundPlan> made(const ir::Request& r);   // a new one
  // The graph's nodes, among which are those that the request names.
  std::unordered_set<Node*> checked_nodes(const ir::Request& r) const;

  std::shared_ptr<Node> root_;
  std::shared_ptr<Draws> draws_;
  ShelfOf<ir::Request, BoundPlan> plans_;
};

CANTIK_API BoundPlans& bound_plans_of(const Function& composite);

}  // namespace cantik::runtime
