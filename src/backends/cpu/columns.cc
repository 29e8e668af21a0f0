#include "backends/cpu/columns.h"

namespace cantik::cpu {

std::vector<int32_t> column_table(const Shape& result, const Shape& operand) {
  std::vector<int32_t> table(static_cast<size_t>(result.elements()));
  std::vector<int64_t> stride(static_cast<size_t>(result.rank()), 0),
      index(static_cast<size_t>(result.rank()), 0);
  int64_t step = 1;
  for (int i = operand.rank() - 1; i >= 0; --i) {
    if (operand[i] != 1) stride[result.rank() - operand.rank() + i] = step;
    step *= operand[i];
  }
  int64_t at = 0;
  for (int32_t& t : table) {
    t = static_cast<int32_t>(at);
    for (int i = result.rank() - 1; i >= 0; --i) {
      size_t u = static_cast<size_t>(i);
      at += stride[u];
      if (++index[u] < result[i]) break;
      at -= stride[u] * result[i];
      index[u] = 0;
    }
  }
  return table;
}

}  // namespace cantik::cpu
