// Columns of rows: what a slice takes, and what a splice or the gradient of a slice puts, where that is one
// run of numbers in a row.
#pragma once

#include <optional>

#include "compile/graph.h"

namespace cantik::ir {

struct Columns {
  int64_t first = 0, count = 0;
};

// Of the operand of `slice_axes`, of the result of `unslice`: which columns the other side is.
std::optional<Columns> columns_of(const Graph& g, const Node& n);
// Of the result of `splice_axis`: which columns operand i is.
std::optional<Columns> spliced_columns(const Graph& g, const Node& n, size_t i);

}  // namespace cantik::ir
