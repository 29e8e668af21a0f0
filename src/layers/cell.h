// What the steps of recurrences are made with.
#pragma once

#include <cantik/recurrence.h>

#include "base/text.h"
#include "layers/block.h"

namespace cantik::layers {

// The width of a cell's state.
inline int64_t width_of(const char* cell, int64_t shape, const CellOptions& o) {
  int64_t width = o.cell_shape.value_or(shape);
  if (shape < 1 || width < 1)
    throw value_error(cat(cell, ": shape and cell_shape must be positive, and are ", shape, " and ", width))
        .made_at(Origin::current().text());
  return width;
}

// A learned factor where it is asked for, otherwise nothing.
inline Activation stabilizer_of(const CellOptions& o, const char* name) {
  return o.enable_self_stabilization ? Activation(stabilizer(4, o.dtype, name, {})) : Activation();
}

inline Variable product(const Variable& x, const Variable& w) { return call("times", {x, w}); }
inline Variable sum(const Variable& a, const Variable& b) { return call("plus", {a, b}); }
inline Variable scaled(const Variable& a, const Variable& b) { return call("element_times", {a, b}); }
inline Variable sigmoid_of(const Variable& x) { return call("sigmoid", {x}); }
// Part i of several of the same width, side by side.
inline Variable part(const Variable& all, int64_t i, int64_t width) {
  return call("slice", {all}, {{"axis", -1}, {"begin_index", i * width}, {"end_index", (i + 1) * width}});
}

}  // namespace cantik::layers
