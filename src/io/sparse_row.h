// A sparse row as a file has it, in the order that CSR rows have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cantik {

// Columns in rising order, numbers of one column added. How many are left.
template <class T>
int64_t merge_columns(int32_t* columns, T* values, int64_t count) {
  std::vector<std::pair<int32_t, T>> row(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) row[i] = {columns[i], values[i]};
  std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  int64_t kept = 0;
  for (const auto& [column, x] : row) {
    if (kept > 0 && columns[kept - 1] == column) {
      values[kept - 1] += x;
      continue;
    }
    columns[kept] = column;
    values[kept++] = x;
  }
  return kept;
}

}  // namespace cantik
