// Sums over everything but the channels: what batch normalisation needs of a row [outer, channels, inner]. In
// double, so that the variance of numbers far from 0 is right.
#pragma once

#include "backends/cpu/kernels/simd.h"

namespace cantik::cpu {
namespace {

// Sixteen partial sums, added as halves onto halves.
CANTIK_INLINE double total16(double* lane) {
  for (int half = 8; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) lane[j] += lane[j + half];
  return lane[0];
}

// As many numbers as a vector of float64 has lanes, in float64.
template <class T>
CANTIK_INLINE Simd<double>::Vector load_double(const T* p) {
  if constexpr (sizeof(T) == 8)
    return Simd<double>::load(p);
  else {
    typedef T Half __attribute__((vector_size(CANTIK_VECTOR_BYTES / 2), aligned(sizeof(T)), may_alias));
    return __builtin_convertvector(*reinterpret_cast<const Half*>(p), Simd<double>::Vector);
  }
}
// p - q, rounded to T.
template <class T>
CANTIK_INLINE Simd<double>::Vector difference(const T* p, const T* q) {
  if constexpr (sizeof(T) == 8)
    return Simd<double>::load(p) - Simd<double>::load(q);
  else {
    typedef T Half __attribute__((vector_size(CANTIK_VECTOR_BYTES / 2), aligned(sizeof(T)), may_alias));
    return __builtin_convertvector(*reinterpret_cast<const Half*>(p) - *reinterpret_cast<const Half*>(q),
                                   Simd<double>::Vector);
  }
}

// y[c] += sum of x[r][c] over the rows, one after another; columns are those of NV vectors.
template <class T, int NV>
CANTIK_INLINE void add_columns_by(double* y, const T* x, int64_t rows, int64_t stride) {
  using D = Simd<double>;
  D::Vector sum[NV];
#pragma GCC unroll 8
  for (int v = 0; v < NV; ++v) sum[v] = D::load(y + v * D::kWidth);
  for (int64_t r = 0; r < rows; ++r, x += stride)
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) sum[v] = sum[v] + load_double(x + v * D::kWidth);
#pragma GCC unroll 8
  for (int v = 0; v < NV; ++v) D::store(y + v * D::kWidth, sum[v]);
}

template <class T>
void add_columns(double* y, const T* x, int64_t rows, int64_t n, int64_t stride) {
  constexpr int64_t width = Simd<double>::kWidth;
  int64_t c = 0;
  for (; c + 8 * width <= n; c += 8 * width) add_columns_by<T, 8>(y + c, x + c, rows, stride);
  for (; c + 2 * width <= n; c += 2 * width) add_columns_by<T, 2>(y + c, x + c, rows, stride);
  for (; c + width <= n; c += width) add_columns_by<T, 1>(y + c, x + c, rows, stride);
  for (int64_t i = c; i < n; ++i) {
    double sum = y[i];
    for (int64_t r = 0; r < rows; ++r) sum += static_cast<double>(x[r * stride + i]);
    y[i] = sum;
  }
}

// Channels last: two vectors of channels at a time, down all pixels. first: what is summed in s1; its product
// with second: in s2.
template <class First, class Second>
CANTIK_INLINE void sums_down(double* s1, double* s2, int64_t rows, int64_t channels, First first,
                             Second second) {
  using D = Simd<double>;
  int64_t c = 0;
  auto pass = [&](auto nv) __attribute__((always_inline)) {
    constexpr int kNv = decltype(nv)::value;
    for (; c + kNv * D::kWidth <= channels; c += kNv * D::kWidth) {
      D::Vector a[kNv], b[kNv];
#pragma GCC unroll 4
      for (int v = 0; v < kNv; ++v)
        a[v] = D::load(s1 + c + v * D::kWidth), b[v] = D::load(s2 + c + v * D::kWidth);
      for (int64_t at = c; at < rows * channels; at += channels)
#pragma GCC unroll 4
        for (int v = 0; v < kNv; ++v) {
          D::Vector x = first(at + v * D::kWidth);
          a[v] = a[v] + x;
          b[v] = b[v] + x * second(at + v * D::kWidth, c + v * D::kWidth);
        }
#pragma GCC unroll 4
      for (int v = 0; v < kNv; ++v)
        D::store(s1 + c + v * D::kWidth, a[v]), D::store(s2 + c + v * D::kWidth, b[v]);
    }
  };
  pass(std::integral_constant<int, 4>());
  pass(std::integral_constant<int, 2>());
  pass(std::integral_constant<int, 1>());
}
CANTIK_INLINE int64_t whole_vectors(int64_t channels) {
  return channels / Simd<double>::kWidth * Simd<double>::kWidth;
}

// s1[c] += sum of x, s2[c] += sum of x^2
template <class T>
void channel_sums(double* s1, double* s2, const T* x, int64_t outer, int64_t channels, int64_t inner) {
  if (inner == 1) {
    auto first = [&](int64_t at) __attribute__((always_inline)) { return load_double(x + at); };
    sums_down(s1, s2, outer, channels, first,
              [&](int64_t at, int64_t) __attribute__((always_inline)) { return load_double(x + at); });
    for (int64_t o = 0; o < outer; ++o, x += channels)
      for (int64_t c = whole_vectors(channels); c < channels; ++c) {
        double v = x[c];
        s1[c] += v;
        s2[c] += v * v;
      }
    return;
  }
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t c = 0; c < channels; ++c, x += inner) {
      double a[16] = {}, b[16] = {};
      int64_t i = 0;
      for (; i + 16 <= inner; i += 16)
        for (int j = 0; j < 16; ++j) {
          double v = x[i + j];
          a[j] += v;
          b[j] += v * v;
        }
      for (int j = 0; i + j < inner; ++j) {
        double v = x[i + j];
        a[j] += v;
        b[j] += v * v;
      }
      s1[c] += total16(a);
      s2[c] += total16(b);
    }
}

// s1[c] += sum of dy, s2[c] += sum of dy (x - mean[c])
template <class T>
void channel_products(double* s1, double* s2, const T* x, const T* dy, const T* mean, int64_t outer,
                      int64_t channels, int64_t inner) {
  if (inner == 1) {
    auto first = [&](int64_t at) __attribute__((always_inline)) { return load_double(dy + at); };
    auto second = [&](int64_t at, int64_t c)
                      __attribute__((always_inline)) { return difference(x + at, mean + c); };
    sums_down(s1, s2, outer, channels, first, second);
    for (int64_t o = 0; o < outer; ++o, x += channels, dy += channels)
      for (int64_t c = whole_vectors(channels); c < channels; ++c) {
        double d = dy[c];
        s1[c] += d;
        s2[c] += d * static_cast<double>(x[c] - mean[c]);
      }
    return;
  }
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t c = 0; c < channels; ++c, x += inner, dy += inner) {
      double a[16] = {}, b[16] = {};
      const T m = mean[c];
      int64_t i = 0;
      for (; i + 16 <= inner; i += 16)
        for (int j = 0; j < 16; ++j) {
          double d = dy[i + j];
          a[j] += d;
          b[j] += d * static_cast<double>(x[i + j] - m);
        }
      for (int j = 0; i + j < inner; ++j) {
        double d = dy[i + j];
        a[j] += d;
        b[j] += d * static_cast<double>(x[i + j] - m);
      }
      s1[c] += total16(a);
      s2[c] += total16(b);
    }
}

}  // namespace
}  // namespace cantik::cpu
