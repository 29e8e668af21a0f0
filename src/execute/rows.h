// Which rows a run has: layouts from its feeds, and bounds for those that it makes.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include <cantik/value.h>

#include "plan/program.h"

namespace cantik::runtime {

// The rows of one space in a run.
struct RowSpace {
  std::shared_ptr<const Layout> layout;  // none yet, where an instruction makes it
  int64_t most = 1;                      // rows there are, or may be
  int64_t rows() const { return layout ? layout->rows() : most; }
};

// Thrown when a run makes more rows than there is memory for: it begins anew with more.
struct MoreRows : std::runtime_error {
  MoreRows(int32_t space, int64_t rows)
      : std::runtime_error(
            "a kernel made longer sequences than it declared (most_rows_per_row, most_rows_per_sequence)"),
        space(space),
        rows(rows) {}
  int32_t space;
  int64_t rows;
};

// Values that are fed on the same axes have the same samples, or sequences of the same lengths: throws where
// these do not.
void check_same_rows(const Variable& a, const Layout& x, const Variable& b, const Layout& y);

// Of each space. `leaves` are the user's; those of the program follow. `grown`: rows that the run has made
// before it began anew, where they were more than thought.
void find_rows(const Program& p, const std::vector<Variable>& leaves, const std::vector<const Value*>& feeds,
               const std::vector<int64_t>& grown, std::vector<RowSpace>& spaces);

}  // namespace cantik::runtime
