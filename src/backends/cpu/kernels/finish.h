// What follows a product, a convolution or pooling, on a vector of its results.
#pragma once

#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/table.h"

namespace cantik::cpu {
namespace {

// at: where the vector belongs in the result; load(p): the vector's lanes from p on. Steps are rounded one by
// one, as elementwise chains round them: fused or not, the bits are the same.
template <class T, class Load>
CANTIK_INLINE typename Simd<T>::Vector elementwise_finish(const Finish<T>& f, typename Simd<T>::Vector y,
                                                          Load load, const T* at) {
  if (f.add) y = y + load(f.add + (at - f.c));
  if (f.clip) y = Simd<T>::all(0) > y ? Simd<T>::all(0) : y;  // so that a NaN stays
  if (f.gate) y = load(f.gate + (at - f.c)) > Simd<T>::all(0) ? y : Simd<T>::all(0);
  return y;
}

template <class T, class Load>
CANTIK_INLINE typename Simd<T>::Vector finished(const Finish<T>& f, typename Simd<T>::Vector y, Load load,
                                                const T* at) {
  if (f.center) y = y - load(f.center);
  if (f.scale) y = y * load(f.scale), Simd<T>::keep(y);
  if (f.shift) y = y + load(f.shift);
  return elementwise_finish(f, y, load, at);
}

}  // namespace
}  // namespace cantik::cpu
