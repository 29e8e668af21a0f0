#include "backends/cpu/columns.h"

#include <vector>

#include "base/memory.h"

namespace cantik::cpu {

namespace {

// Axes side by side of which the operand has all or none, as one.
struct AxisGroup {
  int64_t size;
  bool kept;
};

std::vector<AxisGroup> groups_from_inside(const Shape& result, const Shape& operand) {
  std::vector<AxisGroup> groups;
  for (int i = result.rank() - 1; i >= 0; --i) {
    if (result[i] == 1) continue;
    const int own = i - (result.rank() - operand.rank());
    const bool kept = own >= 0 && operand[own] != 1;
    if (!groups.empty() && groups.back().kept == kept)
      groups.back().size *= result[i];
    else
      groups.push_back({result[i], kept});
  }
  return groups;
}

}  // namespace

ColumnRuns::ColumnRuns(const Shape& result, const Shape& operand) {
  if (result.elements() == 0) return;
  const std::vector<AxisGroup> groups = groups_from_inside(result, operand);
  if (!groups.empty()) run = groups[0].size, advances = groups[0].kept;
  repeats = groups.size() == 2 && advances;
  if (repeats) return;
  const int64_t count = result.elements() / run;
  constexpr int64_t kMost = int64_t{1} << 28;  // to fill a table of more, for a row larger still, takes long
  if (count > kMost) throw no_memory(bytes_of(count, sizeof(int32_t)));
  starts.reserve(static_cast<size_t>(count));
  starts.push_back(0);
  int64_t step = advances ? run : 1;
  for (size_t g = 1; g < groups.size(); ++g) {
    const size_t inside = starts.size();
    for (int64_t i = 1; i < groups[g].size; ++i)
      for (size_t k = 0; k < inside; ++k)
        starts.push_back(starts[k] + static_cast<int32_t>(groups[g].kept ? i * step : 0));
    if (groups[g].kept) step *= groups[g].size;
  }
}

}  // namespace cantik::cpu
