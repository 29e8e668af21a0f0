// Random numbers for each row of a result, drawn in CNTK's order: that of the columns of the minibatch, with
// numbers for the gaps.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <cantik/op.h>

#include "ops/packed_columns.h"

namespace cantik {

// `draw` fills all the numbers it is given. elements: of a row.
template <class T, class Draw>
void draw_in_columns(const Run& r, int64_t elements, Draw&& draw) {
  T* rows = r.result<T>(0, 0);
  const PackedColumns columns(r.out());
  if (columns.are_rows()) {
    draw(std::span<T>(rows, static_cast<size_t>(r.rows() * elements)));
    return;
  }
  std::vector<T> drawn(static_cast<size_t>(columns.count() * elements));
  draw(std::span<T>(drawn));
  for (int64_t i = 0; i < r.rows(); ++i)
    std::copy_n(drawn.data() + columns.of_row(i) * elements, elements, rows + i * elements);
}

}  // namespace cantik
