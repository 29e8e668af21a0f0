// Sums along broadcast axes.
#pragma once

#include <memory>
#include <span>

#include <cantik/op/kernel.h>
#include <cantik/type.h>

#include "graph/expression.h"

namespace cantik::cpu {

std::unique_ptr<Kernel> make_sum_to(const Prepare& p);
// The sum of an elementwise expression: its terms exist a few rows at a time. The same bits as the two
// kernels by themselves.
std::unique_ptr<Kernel> make_map_sum(const Expression& e, std::span<const Type> in, const Type& out);

}  // namespace cantik::cpu
