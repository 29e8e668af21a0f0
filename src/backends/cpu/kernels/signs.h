// Signs of numbers as bits, and what is left of numbers when their signs, times a mean, are taken away.
#pragma once

#include "backends/cpu/bit_table.h"
#include "backends/cpu/kernels/simd.h"

#if CANTIK_VECTOR_BYTES == 16
#include <emmintrin.h>
#endif

namespace cantik::cpu {
namespace {

// A bit for each lane: whether it is above 0.
CANTIK_INLINE uint32_t above_zero(Simd<float>::Vector v) {
#if CANTIK_VECTOR_BYTES == 64
  return _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_GT_OQ);
#elif CANTIK_VECTOR_BYTES == 32
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_GT_OQ)));
#else
  return static_cast<uint32_t>(_mm_movemask_ps(_mm_cmpgt_ps(v, _mm_setzero_ps())));
#endif
}
CANTIK_INLINE uint32_t above_zero(Simd<double>::Vector v) {
#if CANTIK_VECTOR_BYTES == 64
  return _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_GT_OQ);
#elif CANTIK_VECTOR_BYTES == 32
  return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_GT_OQ)));
#else
  return static_cast<uint32_t>(_mm_movemask_pd(_mm_cmpgt_pd(v, _mm_setzero_pd())));
#endif
}

template <class T>
void signs(uint32_t* d, const T* x, int64_t n) {
  constexpr int64_t kWidth = Simd<T>::kWidth;
  uint32_t parity = 0;
  for (; n > 0; n -= kBitsOfWord, x += kBitsOfWord) {
    uint32_t bits = 0;
    if (n >= kBitsOfWord) {
#pragma GCC unroll 16
      for (int64_t i = 0; i < kBitsOfWord; i += kWidth) bits |= above_zero(Simd<T>::load(x + i)) << i;
    } else {
      for (int64_t i = 0; i < n; i += kWidth)
        bits |= above_zero(n - i < kWidth ? Simd<T>::load_some(x + i, n - i) : Simd<T>::load(x + i)) << i;
    }
    *d++ = parity ^= bits;
  }
}

template <class T>
struct MaskOf;
template <>
struct MaskOf<float> {
  typedef uint32_t Type __attribute__((vector_size(CANTIK_VECTOR_BYTES)));
};
template <>
struct MaskOf<double> {
  typedef uint64_t Type __attribute__((vector_size(CANTIK_VECTOR_BYTES)));
};

// Each channel is a line of pixels: vectors of pixels take up one bit of each, the last channel's first.
template <class T>
void signs_apart(uint32_t* d, int64_t d_stride, const T* x, int64_t x_stride, int64_t channels,
                 int64_t pixels) {
  using S = Simd<T>;
  typedef typename MaskOf<T>::Type Mask;
  constexpr int64_t kWidth = S::kWidth;
  for (int64_t p = 0; p < pixels; p += kWidth) {
    int64_t some = pixels - p < kWidth ? pixels - p : kWidth;
    uint32_t parity[kWidth] = {};
    for (int64_t c = 0, word = 0; c < channels; c += kBitsOfWord, ++word) {
      int64_t last = (channels - c < kBitsOfWord ? channels : c + kBitsOfWord) - 1;
      Mask bits{};
      for (int64_t i = last; i >= c; --i) {
        typename S::Vector v =
            some < kWidth ? S::load_some(x + i * x_stride + p, some) : S::load(x + i * x_stride + p);
        bits = bits + bits - reinterpret_cast<Mask>(v > typename S::Vector{});
      }
      for (int64_t i = 0; i < some; ++i)
        d[(p + i) * d_stride + word] = parity[i] ^= static_cast<uint32_t>(bits[i]);
    }
  }
}

template <class T>
T sum_of_magnitudes(const T* x, const T* map, T level, int64_t n) {
  constexpr int64_t kLanes = 64;
  T sums[kLanes] = {};
  auto add = [&](int64_t i, int64_t lane) __attribute__((always_inline)) {
    sums[lane] += map && !(map[i] > level) ? T(0) : x[i] < 0 ? -x[i] : x[i];
  };
  int64_t i = 0;
  if (map) {
    for (; i + kLanes <= n; i += kLanes)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        sums[lane] += map[i + lane] > level ? (x[i + lane] < 0 ? -x[i + lane] : x[i + lane]) : T(0);
  } else {
    for (; i + kLanes <= n; i += kLanes)
      for (int64_t lane = 0; lane < kLanes; ++lane)
        sums[lane] += x[i + lane] < 0 ? -x[i + lane] : x[i + lane];
  }
  for (; i < n; ++i) add(i, i % kLanes);
  for (int64_t half = kLanes / 2; half > 0; half /= 2)
    for (int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  return sums[0];
}

template <class T, bool kMap, bool kResult, bool kRest>
void peel_all(T* y, T* rest, const T* x, const T* map, T level, T mean, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    T b = x[i] > 0 ? mean : -mean;
    if (kMap) b = map[i] > level ? b : T(0);
    T left = x[i] - b;
    if (kResult) y[i] += b;
    if (kRest) rest[i] = left;
  }
}
template <class T>
void peel(T* y, T* rest, const T* x, const T* map, T level, T mean, int64_t n) {
  if (map)
    y ? rest ? peel_all<T, true, true, true>(y, rest, x, map, level, mean, n)
             : peel_all<T, true, true, false>(y, rest, x, map, level, mean, n)
      : peel_all<T, true, false, true>(y, rest, x, map, level, mean, n);
  else
    y ? rest ? peel_all<T, false, true, true>(y, rest, x, map, level, mean, n)
             : peel_all<T, false, true, false>(y, rest, x, map, level, mean, n)
      : peel_all<T, false, false, true>(y, rest, x, map, level, mean, n);
}

template <class T>
void place(T* y, const int32_t* counts, const int32_t* base, T scale, const T* scales, int64_t n, bool add) {
  if (add)
    for (int64_t i = 0; i < n; ++i) y[i] += static_cast<T>(base[i] - 2 * counts[i]) * (scale * scales[i]);
  else
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(base[i] - 2 * counts[i]) * (scale * scales[i]);
}

}  // namespace
}  // namespace cantik::cpu
