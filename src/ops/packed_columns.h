// Where CNTK lays the rows of a minibatch of sequences: in columns, step after step, a slot for each sequence
// that goes on side by side. Sequences are taken in the user's order; each goes into the first slot that has
// room for it, a slot being as long as the longest one. What a column means matters only to operators that
// look at their neighbours, and to those that draw random numbers column after column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <cantik/plugin.h>

namespace cantik {

class PackedColumns {
 public:
  static constexpr int64_t kGap = -1;  // no row lies there

  explicit PackedColumns(const cantik_operand& rows) : columns_(rows.rows) {
    if (!rows.offsets || rows.rows == 0) return;
    int64_t longest = 0;
    for (int64_t s = 0; s < rows.sequences; ++s)
      longest = std::max(longest, rows.offsets[s + 1] - rows.offsets[s]);
    Slots slots(rows.sequences, longest);
    struct Place {
      int64_t slot, step;
    };
    std::vector<Place> places;
    for (int64_t s = 0; s < rows.sequences; ++s) {
      const int64_t length = rows.offsets[s + 1] - rows.offsets[s];
      const int64_t slot = slots.first_with_room(length);
      places.push_back({slot, longest - slots.room(slot)});
      slots.take(slot, length);
    }
    columns_ = slots.used() * longest;
    of_row_.resize(static_cast<size_t>(rows.rows));
    row_at_.assign(static_cast<size_t>(columns_), kGap);
    for (int64_t s = 0; s < rows.sequences; ++s)
      for (int64_t row = rows.offsets[s], step = places[s].step; row < rows.offsets[s + 1]; ++row, ++step) {
        const int64_t column = step * slots.used() + places[s].slot;
        of_row_[row] = column;
        row_at_[column] = row;
      }
  }

  // How many there are, gaps among them.
  int64_t count() const { return columns_; }
  // Whether row i lies in column i.
  bool are_rows() const { return of_row_.empty(); }
  // Where a row lies.
  int64_t of_row(int64_t row) const { return are_rows() ? row : of_row_[row]; }
  // The row that lies so many columns further on than another one, round the minibatch, or kGap.
  int64_t after(int64_t row, int64_t distance) const {
    const int64_t column = (of_row(row) + distance % columns_ + columns_) % columns_;
    return row_at_.empty() ? column : row_at_[column];
  }

 private:
  // How much room there is in each slot, under a tree of maxima.
  class Slots {
   public:
    Slots(int64_t count, int64_t length) {
      while (leaves_ < static_cast<size_t>(count)) leaves_ *= 2;
      most_.assign(2 * leaves_, length);
    }
    int64_t room(int64_t slot) const { return most_[leaves_ + static_cast<size_t>(slot)]; }
    int64_t used() const { return used_; }
    int64_t first_with_room(int64_t length) const {
      size_t at = 1;
      while (at < leaves_) at = 2 * at + (most_[2 * at] >= length ? 0 : 1);
      return static_cast<int64_t>(at - leaves_);
    }
    void take(int64_t slot, int64_t length) {
      used_ = std::max(used_, slot + 1);
      size_t at = leaves_ + static_cast<size_t>(slot);
      most_[at] -= length;
      while (at /= 2) most_[at] = std::max(most_[2 * at], most_[2 * at + 1]);
    }

   private:
    int64_t used_ = 0;
    size_t leaves_ = 1;
    std::vector<int64_t> most_;
  };

  int64_t columns_;
  std::vector<int64_t> of_row_, row_at_;  // empty where rows are columns
};

}  // namespace cantik
