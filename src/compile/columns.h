// Columns of rows: what a slice takes, and what a splice or the gradient of a slice puts, where that is one
// run of numbers in a row.
#pragma once

#include <optional>

#include "compile/graph.h"

namespace cantik::ir {

struct Columns {
  int64_t first = 0, count = 0;
};

// Of the whole that a part is taken from or put in: which columns the part is.
std::optional<Columns> columns_of(const Graph& g, const Node& n);
// Of the result of a call that joins its operands: which columns operand i is.
std::optional<Columns> spliced_columns(const Graph& g, const Node& n, size_t i);

}  // namespace cantik::ir
