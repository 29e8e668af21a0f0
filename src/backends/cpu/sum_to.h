// Sums along broadcast axes.
#pragma once

#include <memory>

#include <cantik/op/kernel.h>

namespace cantik::cpu {

std::unique_ptr<Kernel> make_sum_to(const Prepare& p);

}  // namespace cantik::cpu
