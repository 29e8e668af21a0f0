// Reductions over any static axes, and over rows.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <cantik/op/kernel.h>

namespace cantik::cpu {

enum class Reduction : uint8_t {
  sum,
  mean,
  max,
  min,
  max_or_nan,
  min_or_nan,
  product,
  log_sum,
  argmax,
  argmin
};

// reduced: of each static axis of the operand. Rows are reduced too where the result has none. The order in
// which numbers are added depends on the shape and the number of rows, never on threads.
std::unique_ptr<Kernel> make_reduction(const Prepare& p, Reduction op, const std::vector<bool>& reduced);

}  // namespace cantik::cpu
