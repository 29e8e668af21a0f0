#include "tensor/steps.h"

#include <algorithm>
#include <numeric>

namespace cantik {

Steps::Steps(const Layout& layout) {
  std::span<const int64_t> offsets = layout.offsets();
  size_t n = static_cast<size_t>(layout.sequences());
  auto length = [&](int32_t i) { return offsets[static_cast<size_t>(i) + 1] - offsets[i]; };
  order.resize(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return length(a) > length(b); });
  starts.push_back(0);
  size_t alive = n;
  for (int64_t t = 0;; ++t) {
    while (alive > 0 && length(order[alive - 1]) <= t) --alive;
    if (alive == 0) break;
    starts.push_back(starts.back() + static_cast<int64_t>(alive));
  }
}

void fill_row_map(RowMap m, const Layout& layout, const Steps* steps, std::span<int32_t> map) {
  std::span<const int64_t> offsets = layout.offsets();
  if (m == RowMap::sequence) {
    for (size_t i = 0; i + 1 < offsets.size(); ++i)
      std::fill(map.begin() + offsets[i], map.begin() + offsets[i + 1], static_cast<int32_t>(i));
    return;
  }
  bool from_end = m == RowMap::steps_from_end || m == RowMap::by_sequence_from_end;
  bool reverse = m == RowMap::by_sequence || m == RowMap::by_sequence_from_end;
  for (int64_t t = 0; t < steps->count(); ++t)
    for (int64_t r = 0; r < steps->alive(t); ++r) {
      size_t sequence = static_cast<size_t>(steps->order[r]);
      int64_t row = from_end ? offsets[sequence + 1] - 1 - t : offsets[sequence] + t,
              at = steps->starts[t] + r;
      if (reverse)
        map[row] = static_cast<int32_t>(at);
      else
        map[at] = static_cast<int32_t>(row);
    }
}

}  // namespace cantik
