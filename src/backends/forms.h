// Forms: kernels that several operators are made of (<cantik/op/forms.h>). An operator's file says which form
// its attributes mean; the backend that a kernel is prepared for makes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <cantik/op/forms.h>
#include <cantik/op/kernel.h>

namespace cantik::forms {

// ---- numbers moved about in a row: slices, splices, transposes, padding

// to[to_offset + sum of i_k to_k] = from[from_offset + sum of i_k from_k], for all i_k < size_k. In elements.
struct CopyPart {
  int operand = 0;
  std::vector<int64_t> size, from, to;
  int64_t from_offset = 0, to_offset = 0;
};

// The distances of the elements of a dense row of this shape along each axis.
std::vector<int64_t> strides_of(const Shape& shape);

// Each row of the result from the operands' rows; what no part writes to is `fill`. For every element type.
std::unique_ptr<Kernel> copy(const Prepare& p, const std::vector<CopyPart>& parts,
                             std::optional<double> fill = {});

// y[i] = x[table[i]], and the gradient: y[table[i]] += x[i], the rest 0.
std::unique_ptr<Kernel> lookup(const Prepare& p, std::vector<int32_t> table);
std::unique_ptr<Kernel> spread_back(const Prepare& p, std::vector<int32_t> table);

// ---- lines of numbers side by side in a row: softmax along the last axis, and what goes with it

// columns: of a line; the row has a whole number of lines.
std::unique_ptr<Kernel> lines(const Prepare& p, LineKind what, int64_t columns);

// ---- reductions over any static axes, and over rows

// reduced: of each static axis of the operand. Rows are reduced too where the result has none. The order in
// which numbers are added depends on the shape and the number of rows, never on threads.
std::unique_ptr<Kernel> reduction(const Prepare& p, Reduction what, const std::vector<bool>& reduced);

}  // namespace cantik::forms
