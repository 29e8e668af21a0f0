// What is done to a product's result while it is in cache: an elementwise expression whose input 0 is the
// result.
#pragma once

#include <memory>
#include <vector>

#include <cantik/op/kernel.h>
#include <cantik/type.h>

#include "backends/cpu/table.h"
#include "graph/expression.h"

namespace cantik::cpu {

// A result has `lines` lines of `columns` numbers in each row. Most expressions (bias, activation, residual)
// look the same from every line: they follow each block of lines, the simplest ones each tile. Others wait
// until a row is complete.
template <class T>
class Epilogue {
 public:
  Epilogue(const Prepare& p, int64_t lines, int64_t columns);

  explicit operator bool() const { return map_ != nullptr; }
  bool on_tiles() const { return simple_; }  // finish() says it all, where the operands are dense
  // Whether operands that meet the result element for element lie as it does. In loops they may be columns of
  // wider rows.
  bool is_dense(const Run& r) const {
    return lines_ > 1 ||
           ((add_ < 0 || r.in(add_).stride == columns_) && (gate_ < 0 || r.in(gate_).stride == columns_));
  }
  bool on_lines() const { return by_line_; }  // apply() takes any lines; otherwise whole rows only
  int64_t scratch_bytes() const { return map_ ? map_->scratch_bytes : 0; }
  int64_t state_bytes() const { return map_ ? map_->state_bytes : 0; }

  Finish<T> finish(const Run& r) const;
  // Lines begin .. end, counted over all rows of the run. Scratch is the run's.
  void apply(const Run& r, int64_t begin, int64_t end) const;

 private:
  // element for element; one for each column; one for all
  enum class Kind : uint8_t { full, column, single, other };
  static Kind kind_of(const Type& result, const Type& operand, int64_t columns);
  bool find_simple(const Expression& e);
  bool open_gate(const Expression& e, const Code& select);
  std::unique_ptr<Kernel> map_;
  int64_t lines_, columns_;
  bool simple_ = false, by_line_ = false;
  int inputs_ = 0, first_ = 0;
  std::vector<Kind> kinds_;  // of the epilogue's inputs, the result first
  int center_ = -1, scale_ = -1, shift_ = -1, add_ = -1, gate_ = -1;  // inputs of the run
  bool clip_ = false;
};

}  // namespace cantik::cpu
