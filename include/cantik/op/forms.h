// Forms: kernels that operators of several kinds are made of. Operators' files say which form their
// attributes mean; a backend that fills in a form has the kernels of all these operators.
//
//   form:map          each number of the result is an expression, Prepare::epilogue(), over the operands,
//                     which broadcast; its inputs are the operands, counted from 0
//   form:copy         numbers moved about within a row: CopyForm
//   form:lookup       y[i] = x[table[i]] in each row: TableForm
//   form:spread_back  the gradient of that: y[table[i]] += x[i], the rest 0
//   form:lines        softmax and its relatives: LineForm
//   form:reduction    sums, maxima, ... over static axes: ReductionForm
#pragma once

#include <cstdint>
#include <vector>

#include <cantik/op/attributes.h>

namespace cantik {

// Parts of the result, each from a box of an operand: to[to_offset + sum of i_k to_k] = from[from_offset +
// sum of i_k from_k] for all i_k < size_k, in elements of a row. What no part writes to is `fill`, where
// there is one. Of every element type.
struct CopyForm {
  std::vector<int64_t> operand, from_offset, to_offset, rank;  // of each part
  std::vector<int64_t> size, from, to;                         // of the axes of all parts, one after another
  std::vector<double> fill;                                    // one number, or none
  // The attributes, by name.
  static constexpr auto fields() {
    return list(field("operand", &CopyForm::operand, "that each part reads"),
                field("from_offset", &CopyForm::from_offset, "where it begins there"),
                field("to_offset", &CopyForm::to_offset, "where it begins in the result"),
                field("rank", &CopyForm::rank, "how many axes it has"),
                field("size", &CopyForm::size, "of the axes"),
                field("from", &CopyForm::from, "distances along the axes in the operand"),
                field("to", &CopyForm::to, "distances along the axes in the result"),
                field("fill", &CopyForm::fill, "the number everywhere else"));
  }
};

// Places in the longer of two rows.
struct TableForm {
  std::vector<int64_t> table;  // of each number of the shorter row
  // The attributes, by name.
  static constexpr auto fields() { return list(field("table", &TableForm::table, "places")); }
};

// What is done to each line of numbers side by side.
enum class LineKind : uint8_t {
  softmax,               // x -> e^x / sum of e^x
  log_softmax,           // x -> x - log(sum of e^x)
  softmax_gradient,      // y, dy -> y (dy - sum of y dy)
  log_softmax_gradient,  // y, dy -> dy - e^y sum of dy
  hardmax                // x -> 1 at the largest, the first of several, else 0
};

// Each row has a whole number of lines of so many columns.
struct LineForm {
  int64_t what = 0;     // a LineKind
  int64_t columns = 1;  // numbers of a line
  // The attributes, by name.
  static constexpr auto fields() {
    return list(field("what", &LineForm::what, "which LineKind"),
                field("columns", &LineForm::columns, "numbers of a line"));
  }
};

// How several numbers become one.
enum class Reduction : uint8_t {
  sum,
  mean,
  max,
  min,
  max_or_nan,
  min_or_nan,
  product,
  log_sum,  // log(sum of e^x)
  argmax,   // the place along the reduced axes, of the first of several
  argmin
};

// Over some static axes of the operand, and over its rows where the result has none.
struct ReductionForm {
  int64_t what = 0;              // a Reduction
  std::vector<int64_t> reduced;  // of each static axis of the operand: 1 or 0
  // The attributes, by name.
  static constexpr auto fields() {
    return list(field("what", &ReductionForm::what, "which Reduction"),
                field("reduced", &ReductionForm::reduced, "which axes"));
  }
};

}  // namespace cantik
