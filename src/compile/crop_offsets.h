// Where a crop without offsets begins: found from the layers between its operands and what both come from.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/node.h"

namespace cantik::ir {

// Whether the node is a crop whose offsets are to be found.
bool is_crop_without_offsets(const cantik::Node& n);

// Of such a crop: along the last axis, and along the last but one; none where they depend on a size that is
// not known yet. `shape_of`: what is known of a value's shape.
//
// Each layer says which position of its operand a position of its result lies over: a convolution or pooling
// the middle of its window, a transposed convolution the reverse. Elementwise operators keep positions. Where
// both operands of the crop lie over the same value, those positions say which pixel of the first lies under
// the first pixel of the second.
std::optional<std::vector<int64_t>> crop_offsets(const cantik::Node& crop,
                                                 const std::function<Shape(const Variable&)>& shape_of);

}  // namespace cantik::ir
