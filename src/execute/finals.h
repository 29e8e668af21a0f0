// Results that somebody takes while the run that makes them goes on.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/program.h"

namespace cantik::runtime {

class Outputs;

// Somebody who takes results while the run goes on. Called on the thread of the run.
class ResultListener {
 public:
  virtual ~ResultListener() = default;
  // The run begins; again, where it turns out that there are more rows than was thought. Results will be
  // final in this order; those of a sparse or an unusual kind are in no list, and final at the end.
  virtual void begins(Outputs& out, const std::vector<size_t>& order) = 0;
  // Nothing in the run reads or writes this result any more.
  virtual void is_final(size_t output) = 0;
};

// A result, and the last instruction that touches it. One that is blocked counts as the last of its stage.
struct Final {
  size_t instruction;
  size_t output;
};
// Of the dense results, in the order of the instructions. A run may begin anew until the last of its
// sequences has been made, so nothing is final before.
std::vector<Final> finals(const Program& p);

}  // namespace cantik::runtime
