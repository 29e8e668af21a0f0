// Native vectors of the instruction set this file is compiled for. Everything in kernels/ stands in an anonymous namespace.
#pragma once

#include <stdint.h>

#if defined(__AVX512F__)
#define CANTIK_VECTOR_BYTES 64
#define CANTIK_LEVEL avx512
#define CANTIK_LEVEL_NAME "avx512"
#elif defined(__AVX2__)
#define CANTIK_VECTOR_BYTES 32
#define CANTIK_LEVEL avx2
#define CANTIK_LEVEL_NAME "avx2"
#else
#define CANTIK_VECTOR_BYTES 16
#define CANTIK_LEVEL baseline
#define CANTIK_LEVEL_NAME "baseline"
#endif

#define CANTIK_INLINE inline __attribute__((always_inline))

namespace cantik::cpu {
namespace {

template <class T>
struct Simd {
  static constexpr int kWidth = CANTIK_VECTOR_BYTES / static_cast<int>(sizeof(T));
  typedef T Vector __attribute__((vector_size(CANTIK_VECTOR_BYTES)));
  typedef T Unaligned __attribute__((vector_size(CANTIK_VECTOR_BYTES), aligned(sizeof(T)), may_alias));

  static CANTIK_INLINE Vector load(const T* p) { return *reinterpret_cast<const Unaligned*>(p); }
  static CANTIK_INLINE void store(T* p, Vector v) { *reinterpret_cast<Unaligned*>(p) = v; }
  static CANTIK_INLINE Vector all(T x) { return Vector{} + x; }
};

// 16 sums side by side, whatever the width of the vectors: the order of additions is the same everywhere.
template <class T>
struct Lanes {
  static constexpr int kVectors = 16 / Simd<T>::kWidth;
  typename Simd<T>::Vector v[kVectors];

  static CANTIK_INLINE Lanes zero() {
    Lanes l;
    for (auto& x : l.v) x = Simd<T>::all(0);
    return l;
  }
  // Halves onto halves: 16, 8, 4, 2, 1.
  CANTIK_INLINE T total() const {
    T x[16];
    for (int i = 0; i < kVectors; ++i) Simd<T>::store(x + i * Simd<T>::kWidth, v[i]);
    for (int half = 8; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) x[i] += x[i + half];
    return x[0];
  }
};

}  // namespace
}  // namespace cantik::cpu
