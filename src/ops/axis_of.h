// Axes of values whose shapes may not be known yet: a function may be saved before it is applied.
#pragma once

#include <cantik/op.h>

namespace cantik {

// The axis counted from the end, as CNTK's graphs hold it; as it is while nobody knows how many axes x has.
inline int64_t axis_from_end(int64_t code, const Term& x) {
  Shape s = x.type().shape;
  return s.is_known() ? axis_from_end(code, s.rank()) : code;
}

}  // namespace cantik
