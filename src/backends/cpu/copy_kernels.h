// Numbers moved about in a row: slices, splices, transposes, padding.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <cantik/op/kernel.h>

namespace cantik::cpu {

// to[to_offset + sum of i_k to_stride_k] = from[from_offset + sum of i_k from_stride_k], for all i_k <
// size_k. In elements.
struct CopyPart {
  int operand = 0;
  std::vector<int64_t> size, from, to;
  int64_t from_offset = 0, to_offset = 0;
};

// The distances of the elements of a dense row of this shape along each axis.
std::vector<int64_t> strides_of(const Shape& shape);

// Each row of the result from the operands' rows; what no part writes to is `fill`. For every element type.
std::unique_ptr<Kernel> make_copy(const Prepare& p, std::vector<CopyPart> parts,
                                  std::optional<double> fill = {});

// y[i] = x[table[i]], and the gradient: y[table[i]] += x[i], the rest 0.
std::unique_ptr<Kernel> make_lookup(const Prepare& p, std::vector<int32_t> table);
std::unique_ptr<Kernel> make_spread_back(const Prepare& p, std::vector<int32_t> table);

}  // namespace cantik::cpu
