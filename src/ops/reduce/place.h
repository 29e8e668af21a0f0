// What argmax and argmin share: one axis, which stays with the size 1, or the place in the flattened row.
#pragma once

#include "ops/reduce/axes.h"

namespace cantik::reductions {

struct OneAxis {
  int64_t axis = axis_code::kAllStatic;
  static constexpr auto fields() {
    return list(field("axis", &OneAxis::axis, "a static axis; without one, the place in the flattened row")
                    .role(CANTIK_AXIS));
  }
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

}  // namespace cantik::reductions
