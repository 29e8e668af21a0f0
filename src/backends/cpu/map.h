// Elementwise chains: an expression over operands that broadcast, interpreted a tile at a time.
#pragma once

#include <memory>
#include <span>

#include <cantik/op/kernel.h>
#include <cantik/type.h>

#include "graph/expression.h"

namespace cantik::cpu {

// The kernel of `e` for these types. Rows are split over workers; a row's result does not depend on which
// rows it comes with.
std::unique_ptr<Kernel> make_map(const Expression& e, std::span<const Type> in, std::span<const Type> out);

}  // namespace cantik::cpu
