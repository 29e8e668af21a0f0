// Native vectors of the instruction set this file is compiled for. Everything in kernels/ stands in an
// anonymous namespace.
#pragma once

#include <stdint.h>

#include <utility>

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

#if CANTIK_VECTOR_BYTES > 16
#include <immintrin.h>
#endif

#define CANTIK_INLINE inline __attribute__((always_inline))

// For loads and stores of some lanes, which are loops without masks: most of a tile's code, if they stood in
// it.
#if CANTIK_VECTOR_BYTES > 16
#define CANTIK_APART CANTIK_INLINE
#else
#define CANTIK_APART __attribute__((noinline))
#endif

namespace cantik::cpu {
namespace {

// With AVX-512 a load of some lanes takes hardly longer than that of all of them: outside of the innermost
// loops it serves for both.
inline constexpr bool kMaskedLoads = CANTIK_VECTOR_BYTES == 64;

template <class T>
struct Simd {
  static constexpr int kWidth = CANTIK_VECTOR_BYTES / static_cast<int>(sizeof(T));
  typedef T Vector __attribute__((vector_size(CANTIK_VECTOR_BYTES)));
  typedef T Unaligned __attribute__((vector_size(CANTIK_VECTOR_BYTES), aligned(sizeof(T)), may_alias));

  static CANTIK_INLINE Vector load(const T* p) { return *reinterpret_cast<const Unaligned*>(p); }
  static CANTIK_INLINE void store(T* p, Vector v) { *reinterpret_cast<Unaligned*>(p) = v; }
  // a broadcast; x + 0 would be an addition, it changes -0
  static CANTIK_INLINE Vector all(T x) { return x - Vector{}; }

  // Two numbers over and over, and the way back: what lies at even and at odd places of two vectors.
  static CANTIK_INLINE Vector pairs(const T* p) {
    if constexpr (sizeof(T) == 4) {
      typedef int64_t Wide __attribute__((vector_size(CANTIK_VECTOR_BYTES)));
      int64_t x;
      __builtin_memcpy(&x, p, sizeof x);
      return reinterpret_cast<Vector>(x - Wide{});
    } else {
#if CANTIK_VECTOR_BYTES == 64
      return _mm512_maskz_broadcast_f64x2(0xff, _mm_loadu_pd(p));
#elif CANTIK_VECTOR_BYTES == 32
      return _mm256_broadcast_pd(reinterpret_cast<const __m128d*>(p));
#else
      return load(p);
#endif
    }
  }
  static CANTIK_INLINE Vector evens(Vector a, Vector b) {
    return pick(a, b, 0, std::make_integer_sequence<int, kWidth>());
  }
  static CANTIK_INLINE Vector odds(Vector a, Vector b) {
    return pick(a, b, 1, std::make_integer_sequence<int, kWidth>());
  }
  // a0 b0 a1 b1 ..., the first and the second vector of it.
  static CANTIK_INLINE Vector zip_low(Vector a, Vector b) {
    return zip<0>(a, b, std::make_integer_sequence<int, kWidth>());
  }
  static CANTIK_INLINE Vector zip_high(Vector a, Vector b) {
    return zip<kWidth / 2>(a, b, std::make_integer_sequence<int, kWidth>());
  }
  template <int kFirst, int... I>
  static CANTIK_INLINE Vector zip(Vector a, Vector b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (kFirst + I / 2 + I % 2 * kWidth)...);
  }
  // a0 a0 a1 a1 ...
  static CANTIK_INLINE Vector twice(Vector a) { return repeat(a, std::make_integer_sequence<int, kWidth>()); }
  template <int... I>
  static CANTIK_INLINE Vector repeat(Vector a, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, a, (I / 2)...);
  }
  template <int... I>
  static CANTIK_INLINE Vector pick(Vector a, Vector b, int odd, std::integer_sequence<int, I...>) {
    return odd ? __builtin_shufflevector(a, b, (2 * I + 1)...) : __builtin_shufflevector(a, b, (2 * I)...);
  }

  // Has v in a register here, so that it is not read from memory once more by each operation that uses it.
  static CANTIK_INLINE void keep(Vector& v) {
#if CANTIK_VECTOR_BYTES == 64
    asm("" : "+v"(v));
#else
    asm("" : "+x"(v));
#endif
  }

  // sum + x y, rounded once. With as few registers as AVX2 has, the compiler may renumber sums from step to
  // step and then keep some in memory, which lengthens their chains: here a sum stays where it is.
  static CANTIK_INLINE void add_product(Vector& sum, Vector x, Vector y) {
#if CANTIK_VECTOR_BYTES == 32
    if constexpr (sizeof(T) == 4)
      asm("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
    else
      asm("vfmadd231pd %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
#else
    sum += x * y;
#endif
  }

  // The first n lanes, 0 <= n <= kWidth; nothing beyond them is touched. The others are 0.
  static CANTIK_INLINE Vector load_some(const T* p, int64_t n) {
#if CANTIK_VECTOR_BYTES == 64
    if constexpr (sizeof(T) == 4)
      return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), p);
    else
      return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), p);
#elif CANTIK_VECTOR_BYTES == 32
    if constexpr (sizeof(T) == 4)
      return _mm256_maskload_ps(p, first_lanes(n));
    else
      return _mm256_maskload_pd(p, first_lanes(n));
#else
    Vector v{};
    for (int64_t i = 0; i < n; ++i) v[i] = p[i];
    return v;
#endif
  }
  static CANTIK_INLINE void store_some(T* p, Vector v, int64_t n) {
#if CANTIK_VECTOR_BYTES == 64
    if constexpr (sizeof(T) == 4)
      _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), v);
    else
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << n) - 1), v);
#elif CANTIK_VECTOR_BYTES == 32
    if constexpr (sizeof(T) == 4)
      _mm256_maskstore_ps(p, first_lanes(n), v);
    else
      _mm256_maskstore_pd(p, first_lanes(n), v);
#else
    for (int64_t i = 0; i < n; ++i) p[i] = v[i];
#endif
  }

  // The same outside of innermost loops.
  static CANTIK_APART Vector load_tail(const T* p, int64_t n) { return load_some(p, n); }
  static CANTIK_APART void store_tail(T* p, Vector v, int64_t n) { store_some(p, v, n); }

#if CANTIK_VECTOR_BYTES == 32
 private:
  static CANTIK_INLINE __m256i first_lanes(int64_t n) {
    if constexpr (sizeof(T) == 4)
      return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                                _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    else
      return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
#endif
};

}  // namespace
}  // namespace cantik::cpu
