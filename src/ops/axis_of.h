// Axes of values whose shapes may not be known yet: a function may be saved before it is applied.
#pragma once

#include <cantik/op.h>

namespace cantik {

// The axis counted from the end, as CNTK's graphs hold it; as it is while nobody knows how many axes x has.
inline int64_t axis_from_end(int64_t code, const Term& x) {
  Shape s = x.type().shape;
  return s.is_known() ? axis_from_end(code, s.rank()) : code;
}

// The same where an axis counted from the end may stand in front of the first one.
inline int64_t axis_or_in_front(int64_t code, const Term& x) {
  return code < 0 ? code : axis_from_end(code, x);
}

}  // namespace cantik
