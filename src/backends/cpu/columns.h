// Where the columns of a row are in an operand that broadcasts to it.
#pragma once

#include <cstdint>
#include <vector>

#include <cantik/shape.h>

namespace cantik::cpu {

// By runs of columns, all as long as can be: one element serves all columns of a run, or they are as many
// elements side by side. Found from the shapes, since pictures have more columns than a table of them should.
struct ColumnRuns {
  ColumnRuns(const Shape& result, const Shape& operand);

  int64_t run = 1;              // columns of a run
  bool advances = false;        // element after element
  bool repeats = false;         // all runs are the same, the whole operand: no table says so
  std::vector<int32_t> starts;  // the element where each run begins, otherwise
};

}  // namespace cantik::cpu
