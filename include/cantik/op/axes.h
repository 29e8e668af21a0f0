// Axes in attributes, for type rules and bodies: static ones counted from either end, dynamic ones by their
// code.
#pragma once

#include <string>
#include <vector>

#include <cantik/axis_code.h>
#include <cantik/op/infer.h>

namespace cantik {

// An axis as errors name it.
inline std::string axis_text(int64_t code) {
  switch (code) {
    case axis_code::kBatch: return "the batch axis";
    case axis_code::kSequence: return "the sequence axis";
    case axis_code::kDynamic: return "a dynamic axis";
    case axis_code::kAll: return "all axes";
    case axis_code::kAllStatic: return "all static axes";
    case axis_code::kNewLeading: return "a new leading axis";
    case axis_code::kNone: return "no axis";
    default: return "the axis " + std::to_string(code);
  }
}

// The index of a static axis, 0 .. rank - 1.
inline int static_axis(int64_t code, int rank) {
  if (!axis_code::is_static(code)) throw value_failure("a static axis is needed, not " + axis_text(code));
  int64_t i = code < 0 ? code + rank : code;
  if (i < 0 || i >= rank)
    throw value_failure(axis_text(code) + " is out of bounds for an operand of rank " + std::to_string(rank),
                        rank == 0 ? "give an operand with static axes"
                                  : "give a number from 0 to " + std::to_string(rank - 1) +
                                        ", or from -1 to -" + std::to_string(rank));
  return static_cast<int>(i);
}
// The same as a number counted from the end, which is how CNTK's graphs hold it.
inline int64_t axis_from_end(int64_t code, int rank) { return static_axis(code, rank) - rank; }

}  // namespace cantik
