// Axes as numbers: how attributes of operators name an axis.
#pragma once

#include <cstdint>

namespace cantik {

// How an axis is written in an attribute. Static axes are their index in NumPy's order, negative ones count
// from the end.
namespace axis_code {
inline constexpr int64_t kDynamic = 2147483647;  // by name
inline constexpr int64_t kAllStatic = 2147483646;
inline constexpr int64_t kNewLeading = 2147483644;
inline constexpr int64_t kAll = 2147483643;
inline constexpr int64_t kBatch = 2147483640;
inline constexpr int64_t kSequence = 2147483639;
inline constexpr int64_t kNone = 2147483638;
inline constexpr bool is_static(int64_t code) { return code < kNone; }
}  // namespace axis_code

}  // namespace cantik
