// What argmax and argmin share: one axis, which stays with the size 1, or the place in the flattened row.
#pragma once

#include <algorithm>
#include <vector>

#include "ops/reduce/axes.h"

namespace cantik::reductions {

struct OneAxis {
  int64_t axis = axis_code::kAllStatic;
  static constexpr auto fields() {
    return list(field("axis", &OneAxis::axis, "a static axis; without one, the place in the flattened row")
                    .role(CANTIK_AXIS));
  }
};

template <size_t N>
struct Text {
  char letters[N];
  constexpr Text(const char (&text)[N]) { std::copy_n(text, N, letters); }
};

template <Text kReduction>
constexpr auto place = [](Builder& b, const OneAxis& a) {
  TypeView x = b.x().type();
  int64_t axis =
      axis_code::is_static(a.axis) && x.shape.is_known() ? axis_from_end(a.axis, x.shape.rank()) : a.axis;
  b.result(b.call(
      "reduce_elements", {b.x()},
      {{"axis", axis}, {"reduction", kReduction.letters}, {"keepdims", a.axis != axis_code::kAllStatic}}));
};

// ONNX's node: the place along an axis, in a size of 1 or without the axis; the first of several, or the
// last.
inline void read_place(OnnxNode& n, const char* op) {
  int64_t axis = n.integer("axis");
  const int at = n.axis_of(axis, n.rank(n.x()));
  Term x = n.with_static(n.x(), axis);
  const bool last = n.integer("select_last_index") != 0;
  const int64_t size = x.shape()[static_cast<int>(axis)];
  if (last) {  // the first one backwards
    if (size < 0) OnnxNode::refuse("it takes the last of several places of an axis of an open size");
    const std::vector<int64_t> axes{axis}, begin{0}, end{size}, back{-1};
    x = n.call("slice", {x}, {{"axis", axes}, {"begin_index", begin}, {"end_index", end}, {"strides", back}});
  }
  Term y = n.call(op, {x}, {{"axis", axis}});
  if (last) y = n.constant(static_cast<double>(size - 1), y) - y;
  std::vector<int64_t> dims = n.dims(n.x());
  dims[at] = 1;
  y = n.with_dims(y, dims);
  if (n.integer("keepdims", 1) == 0) {
    dims.erase(dims.begin() + at);
    y = n.reshape(y, dims);
  }
  n.result(y);
  n.result_type(0, OnnxGraph::kInt64);
}

}  // namespace cantik::reductions
