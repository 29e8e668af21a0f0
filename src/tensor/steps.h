// Steps: the rows of one layout in the order in which a loop visits them.
//
// Rank the sequences by length, the longest first. At each step the sequences that go on are then the first
// ranks, so the rows of a step can lie side by side: step t has the rows starts[t] .. starts[t+1], one for
// each rank that is longer than t. Steps count from the beginning of the sequences or from their end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <cantik/value.h>

namespace cantik {

struct Steps {
  std::vector<int32_t> order;   // of each rank: its sequence
  std::vector<int64_t> starts;  // [steps + 1]

  explicit Steps(const Layout& layout);
  int64_t count() const { return static_cast<int64_t>(starts.size()) - 1; }
  int64_t alive(int64_t t) const { return starts[static_cast<size_t>(t) + 1] - starts[t]; }
};

// Row maps that follow from a layout: for each row of a result, the row of the operand that it is.
enum class RowMap : int32_t {
  sequence,  // of a row: its sequence. A batch operand spread over the steps
  steps,     // rows in step order, counted from the beginning, of rows by sequence
  steps_from_end,
  by_sequence,  // and the reverse: rows by sequence of rows in step order
  by_sequence_from_end,
};
inline bool needs_steps(RowMap m) { return m != RowMap::sequence; }

// `steps` may be null where the map does not need them.
void fill_row_map(RowMap m, const Layout& layout, const Steps* steps, std::span<int32_t> map);

}  // namespace cantik
