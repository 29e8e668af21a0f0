// Expressions whose results replace operands: a learner's update of a parameter and of what it remembers of
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <cantik/dtype.h>

#include "base/memory.h"
#include "graph/expression.h"

namespace cantik::host {

// The operands of an update: first arrays of equal length, then single numbers.
struct UpdateForm {
  int arrays = 0, numbers = 0;
  std::vector<int32_t> overwrites;  // of each result: the array it replaces
};

// What one worker needs to run an update: memory, with the numbers spread out.
struct UpdateScratch {
  MemoryBlock memory;
  std::vector<double> numbers;  // those spread out, empty: none
  int64_t ready = 0;            // so many elements of them
};

class Update {
 public:
  virtual ~Update() = default;
  virtual void prepare(UpdateScratch& scratch, std::span<const double> numbers, int64_t most) const = 0;
  // Elements 0 .. n-1 of the arrays. `scratch` was prepared for these numbers and as many elements (or a
  // tile).
  virtual void run(const UpdateScratch& scratch, void* const* arrays, int64_t n) const = 0;
  // The sum of the first result instead of writing anything, in double over tiles.
  virtual double sum(const UpdateScratch& scratch, void* const* arrays, int64_t n) const = 0;
  int64_t steps = 0;     // tile functions a tile, as a measure of work
  bool is_loop = false;  // compiled as one loop
};

std::unique_ptr<Update> make_update(const Expression& e, const UpdateForm& form, DType dtype);

}  // namespace cantik::host
