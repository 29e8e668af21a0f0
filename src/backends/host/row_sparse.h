// Gradients of tables of which few rows were read: the rows, in rising order, and their numbers.
//
// An operand of storage row_sparse, of shape [all, width...], has starts = {0, count}, columns = the rows
// [count], and data = their numbers [count, width...]. There are as many rows as were read, or all: the
// memory is made for that.
#pragma once

#include <cstdint>
#include <memory>

#include <cantik/op/kernel.h>

namespace cantik::host {

// A set of rows in a bitmap, and the place of each in rising order.
class RowSet {
 public:
  static int64_t scratch_bytes(int64_t all) { return (all + 63) / 64 * (sizeof(uint64_t) + sizeof(int32_t)); }
  RowSet(void* scratch, int64_t all);  // empty
  void put(int64_t row) { bits_[row >> 6] |= uint64_t{1} << (row & 63); }
  // Lists the rows; place() may be asked from then on.
  int64_t list(int32_t* rows);
  int64_t place(int64_t row) const {
    return first_[row >> 6] + __builtin_popcountll(bits_[row >> 6] & ((uint64_t{1} << (row & 63)) - 1));
  }

 private:
  uint64_t* bits_;
  int32_t* first_;
  int64_t words_;
};

// The parts of a result with few rows, for writing.
struct RowSparseOut {
  int64_t* count;
  int32_t* rows;
  void* values;
  explicit RowSparseOut(const cantik_operand& o)
      : count(const_cast<int64_t*>(o.starts) + 1), rows(const_cast<int32_t*>(o.columns)), values(o.data) {
    const_cast<int64_t*>(o.starts)[0] = 0;
  }
};

// a + b, where at least one has few rows; the result has if both do.
std::unique_ptr<Kernel> make_add_gradients(const Prepare& p);
// Few rows in other memory.
std::unique_ptr<Kernel> make_copy_of_few_rows(const Prepare& p);
// Few rows written out.
std::unique_ptr<Kernel> make_row_sparse_to_dense(const Prepare& p);

}  // namespace cantik::host
