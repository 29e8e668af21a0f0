// Which value of a run takes the most memory: errors name its node.
#pragma once

#include <memory>
#include <vector>

#include <cantik/error.h>

#include "execute/frame.h"

namespace cantik::runtime {

// The error with the node that makes the largest value of a run with so many rows.
[[noreturn]] void rethrow_with_largest(const Error& e, const Program& p, const std::vector<RowSpace>& spaces,
                                       const ir::Sources& sources);

}  // namespace cantik::runtime
