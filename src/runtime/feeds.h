// Feeds as a plan takes them.
#pragma once

#include <vector>

#include <cantik/feeds.h>

#include "runtime/bound_plan.h"

namespace cantik::runtime {

// The inputs that a plan reads, and their places among its leaves.
struct PlanInputs {
  explicit PlanInputs(const BoundPlan& plan);
  std::vector<Variable> inputs;
  std::vector<size_t> leaves;
};

// By leaf index. `f` is what errors name.
std::vector<const Value*> arrange(const BoundPlan& plan, const Feeds& feeds, const Function& f);

}  // namespace cantik::runtime
