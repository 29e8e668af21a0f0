// What operators that are computed from whole arrays share: whole numbers, axes, places along an axis.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "onnx/computed.h"

namespace cantik::onnx {

using ArrayDims = std::vector<int64_t>;

// Numbers that stand for "as far as it goes" do too.
inline int64_t whole(double x) {
  return std::isnan(x) ? 0 : static_cast<int64_t>(std::clamp(x, -0x1p62, 0x1p62));
}

inline ArrayDims whole(const Array& a) {
  ArrayDims list;
  for (double x : a.numbers) list.push_back(whole(x));
  return list;
}

inline size_t axis_in(const ArrayDims& dims, int64_t axis) {
  const auto rank = static_cast<int64_t>(dims.size());
  if (axis < -rank || axis >= rank) throw value_error(cat("there is no axis ", axis, " in a rank of ", rank));
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

// The array [outer, places along the axis, inner] with other places: from[i] is the place that i reads.
inline Array picked(const Array& x, size_t axis, const std::vector<int64_t>& from) {
  ArrayDims dims = x.dims;
  dims[axis] = static_cast<int64_t>(from.size());
  Array y = sized(dims);
  const int64_t outer = x.product(0, axis), inner = x.product(axis + 1, dims.size()), all = x.dims[axis];
  double* to = y.numbers.data();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i : from) {
      const double* at = x.numbers.data() + (o * all + i) * inner;
      to = std::copy(at, at + inner, to);
    }
  return y;
}

}  // namespace cantik::onnx
