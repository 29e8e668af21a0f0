// Elementwise chains: an expression over operands that broadcast, interpreted a tile at a time.
#pragma once

#include <memory>
#include <span>

#include <cantik/op/kernel.h>
#include <cantik/type.h>

#include "graph/expression.h"

namespace cantik::host {

// The kernel of `e` for these types. Rows are split over workers; a row's result does not depend on which
// rows it comes with. The units of the rows i .. j are units(i) .. units(j).
std::unique_ptr<Kernel> make_map(const Expression& e, std::span<const Type> in, std::span<const Type> out);
// The sum along the axes, static and dynamic, that the result does not have or has with the size 1.
std::unique_ptr<Kernel> make_sum_to(const Prepare& p);
// The sum of an elementwise expression: its terms exist a few rows at a time. The same bits as the two
// kernels by themselves.
std::unique_ptr<Kernel> make_map_sum(const Expression& e, std::span<const Type> in, const Type& out);

}  // namespace cantik::host
