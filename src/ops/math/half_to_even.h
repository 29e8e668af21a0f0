// The nearest whole number, halves to the even neighbour, as ONNX and IEEE 754 have it.
#pragma once

#include <cantik/op.h>

namespace cantik {

inline Term half_to_even(Builder& b, Term x) {
  const Term half = b.constant(0.5, x), two = b.constant(2, x);
  const Term up = b.call("floor", {x + half});
  const Term tie = b.call("equal", {up - half, x});
  const Term odd = b.call("not_equal", {b.call("floor", {b.call("element_divide", {up, two})}) * two, up});
  return up - tie * odd;
}

}  // namespace cantik
