// Axes as numbers: how attributes of operators name an axis.
#pragma once

#include <cstdint>

namespace cantik {

// How an axis is written in an attribute. Static axes are their index in NumPy's order, negative ones count
// from the end.
namespace axis_code {
inline constexpr int64_t kDynamic = 2147483647;  // by name
// All static axes.
inline constexpr int64_t kAllStatic = 2147483646;
// A new static axis before the first one.
inline constexpr int64_t kNewLeading = 2147483644;
// All axes, static and dynamic.
inline constexpr int64_t kAll = 2147483643;
// The batch axis.
inline constexpr int64_t kBatch = 2147483640;
// The sequence axis of the operand.
inline constexpr int64_t kSequence = 2147483639;
// No axis: the attribute is not given.
inline constexpr int64_t kNone = 2147483638;
// Whether a code is the index of a static axis.
inline constexpr bool is_static(int64_t code) { return code < kNone; }
}  // namespace axis_code

}  // namespace cantik
