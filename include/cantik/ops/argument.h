// What operators take besides operands.
#pragma once

#include <cstdint>

#include <cantik/axis.h>

namespace cantik {

// An axis as an argument: a number, or an Axis.
struct AxisArgument {
  // As attributes of operators have it.
  int64_t code;
  // A static axis by its index, a negative one from the end.
  AxisArgument(int64_t index) : code(index) {}
  AxisArgument(int index) : code(index) {}
  // Any axis.
  AxisArgument(const Axis& axis) : code(axis.code()) {}
};

}  // namespace cantik
