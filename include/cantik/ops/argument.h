// What operators take besides operands.
#pragma once

#include <cstdint>

#include <cantik/axis.h>

namespace cantik {

// An axis as an argument: a number, an Axis, or none.
struct AxisArgument {
  // As attributes of operators have it.
  int64_t code;
  // A static axis by its index, a negative one from the end.
  AxisArgument(int64_t index) : code(index) {}
  AxisArgument(int index) : code(index) {}
  // Any axis.
  AxisArgument(const Axis& axis) : code(axis.code()) {}
  // No axis: the operator says what it does then.
  static AxisArgument none() { return axis_code::kNone; }
};

// Of times(): all axes of the left operand that its inferred weights leave are summed over.
inline constexpr int64_t kNoInferredInputRank = -1;

}  // namespace cantik
