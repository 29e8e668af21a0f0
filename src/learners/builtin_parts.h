// What a built-in learner holds: parameters with their states, expressions compiled for an element type.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "learners/builtin.h"

namespace cantik {

struct BuiltinLearner::Slot {
  Variable parameter;
  Tensor value, states, noise;                // states: [how many, elements]
  void* arrays[3 + kMostStates] = {};         // the operands of the expressions
  int64_t elements = 0, rows = 1, width = 1;  // width: elements of a row
  DType dtype = DType::float32;
  std::vector<double> numbers;  // of this parameter alone, where there are any
  // of each row: the update its idle states have been brought to; empty: to the last
  std::vector<int64_t> current;
  int64_t updates = 0;
};

// An expression compiled for one element type, with the scratch of every worker.
struct BuiltinLearner::ProgramPart {
  std::unique_ptr<host::Update> update;
  std::vector<host::UpdateScratch> scratch{1};
  const host::UpdateScratch& ready(size_t worker, std::span<const double> numbers, int64_t most) {
    update->prepare(scratch[worker], numbers, most);
    return scratch[worker];
  }
  void grow(size_t workers) {
    if (scratch.size() < workers) scratch.resize(workers);
  }
};

inline std::span<const double> BuiltinLearner::numbers_of(const Slot& s) const {
  return s.numbers.empty() ? numbers_ : s.numbers;
}

struct BuiltinLearner::Programs {
  ProgramPart dense, rows, finish, norm, average;
};

}  // namespace cantik
