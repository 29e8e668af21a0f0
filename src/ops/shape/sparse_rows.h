// What sparse results have in common.
#pragma once

#include <cantik/op.h>

namespace cantik {

// Columns are 32-bit numbers.
inline void check_columns(const Shape& row) {
  double elements = 1;
  for (int i = 0; i < row.rank(); ++i) elements *= static_cast<double>(row[i] < 0 ? 1 : row[i]);
  if (elements > 2147483647.0)
    throw Failure(CANTIK_UNSUPPORTED, "sparse rows of the shape " + row.text() + " are too wide",
                  "a row can have at most 2147483647 elements; ask for less, or for a dense result");
}

}  // namespace cantik
