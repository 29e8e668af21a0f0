// Which value belongs to which leaf, and whether it is what the leaf asks for.
#pragma once

#include <vector>

#include "runtime/bound_plan.h"

namespace cantik::runtime {

CANTIK_API void check_feed(const Variable& v, const Value& value);
// By leaf index. `f` is what errors name.
std::vector<const Value*> arrange(const BoundPlan& plan, const Feeds& feeds, const Function& f);

}  // namespace cantik::runtime
