// What the steps of recurrences are made with: their options, and operators under short names.
#pragma once

#include "base/text.h"
#include "layers/block.h"
#include "layers/define.h"

namespace cantik::layers {

struct Cell : WithParameters {
  Extents shape;
  Extents cell_shape = Shape::unknown();
  Activation activation = "tanh";
  Initializer init = glorot_uniform(), init_bias = 0.0;
  bool enable_self_stabilization = false;
};

// Their options, each to be put into lists of fields.
namespace of_cell {
inline constexpr auto shape = option("shape", &Cell::shape, "of the result").required();
inline constexpr auto cell_shape =
    option("cell_shape", &Cell::cell_shape, "of the state, where the result is a projection of it");
inline constexpr auto activation = option("activation", &Cell::activation, kActivationDoc).scoped();
inline constexpr auto init = option("init", &Cell::init, "first values of the weights").scoped();
inline constexpr auto init_bias = option("init_bias", &Cell::init_bias, "first values of b").scoped();
inline constexpr auto enable_self_stabilization =
    option("enable_self_stabilization", &Cell::enable_self_stabilization, kStabilizationDoc).scoped().truth();
}  // namespace of_cell

// The only number of a shape.
inline int64_t only_number(const char* cell, const char* what, const Extents& shape) {
  if (shape.rank() != 1)
    throw value_error(cat(cell, ": ", what, " must be a vector of one dimension, not ", shape.text()))
        .made_at(Origin::current().text());
  if (shape[0] < 1)
    throw value_error(cat(cell, ": ", what, " must be positive, and is ", shape[0]))
        .made_at(Origin::current().text());
  return shape[0];
}

// How many numbers a cell has in its result and in its state.
struct Widths {
  Widths(const char* name, const Cell& o)
      : result(only_number(name, "shape", o.shape)),
        state(o.cell_shape.is_known() ? only_number(name, "cell_shape", o.cell_shape) : result),
        projects(o.cell_shape.is_known()) {}
  int64_t result, state;
  bool projects;  // the result is a product of the state, also where both have as many numbers
};

// A learned factor where it is asked for, otherwise nothing.
Activation stabilizer_of(const Cell& o, const char* name);

inline Variable product(const Variable& x, const Variable& w) { return call("times", {x, w}); }
inline Variable sum(const Variable& a, const Variable& b) { return call("plus", {a, b}); }
inline Variable scaled(const Variable& a, const Variable& b) { return call("element_times", {a, b}); }
inline Variable sigmoid_of(const Variable& x) { return call("sigmoid", {x}); }
// Part i of several of the same width, side by side.
inline Variable part(const Variable& all, int64_t i, int64_t width) {
  return call("slice", {all}, {{"axis", -1}, {"begin_index", i * width}, {"end_index", (i + 1) * width}});
}

}  // namespace cantik::layers
