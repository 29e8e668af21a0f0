// Lines of numbers, side by side in a row: softmax along the last axis, and what goes with it.
#pragma once

#include <memory>

#include <cantik/op/kernel.h>

namespace cantik::cpu {

enum class Lines : uint8_t {
  softmax,               // x -> e^x / sum of e^x
  log_softmax,           // x -> x - log(sum of e^x)
  softmax_gradient,      // y, dy -> y (dy - sum of y dy)
  log_softmax_gradient,  // y, dy -> dy - e^y sum of dy
  hardmax                // x -> 1 at the largest, the first of several, else 0
};

// columns: of a line; the row has a whole number of lines.
std::unique_ptr<Kernel> make_lines(const Prepare& p, Lines what, int64_t columns);

}  // namespace cantik::cpu
