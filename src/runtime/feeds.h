// Feeds as a plan takes them.
#pragma once

#include <vector>

#include <cantik/feeds.h>

#include "runtime/bound_plan.h"

namespace cantik::runtime {

// By leaf index. `f` is what errors name.
std::vector<const Value*> arrange(const BoundPlan& plan, const Feeds& feeds, const Function& f);

}  // namespace cantik::runtime
