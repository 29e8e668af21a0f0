// Shared by the random_*.cc files, included first: rounding as CNTK rounds, and loops compiled for several
// instruction sets.
#pragma once

// A product and a sum round separately, also where the machine could fuse them: CNTK's numbers depend on it.
// And -O2 suffices for vectors.
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "tree-vectorize", "vect-cost-model=dynamic")
#endif

#include <cstdint>

#include <cantik/dtype.h>

#include "tensor/half.h"

// The loader picks the best of the clones. Sanitizers cannot run before the loader is done, so they get the
// plain function.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GLIBC__) && __GNUC__ >= 12 && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CANTIK_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define CANTIK_CLONES
#endif

namespace cantik {

// x as an element.
template <class T>
T element_of(double x) {
  return static_cast<T>(x);
}
template <>
inline Half element_of<Half>(double x) {
  return to_half(static_cast<float>(x));
}

// x rounded to the element type, still a double.
template <class T>
double round_to(double x) {
  return static_cast<T>(x);
}
template <>
inline double round_to<Half>(double x) {
  return to_float(to_half(static_cast<float>(x)));
}

}  // namespace cantik
