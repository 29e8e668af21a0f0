// Sums over everything but the channels: what batch normalisation needs of a row [outer, channels, inner]. In double, so that the
// variance of numbers far from 0 is right.
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

// s1[c] += sum of x, s2[c] += sum of x^2
template <class T>
void channel_sums(double* s1, double* s2, const T* x, int64_t outer, int64_t channels, int64_t inner) {
  if (inner == 1) {
    for (int64_t o = 0; o < outer; ++o, x += channels)
      for (int64_t c = 0; c < channels; ++c) {
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
void channel_products(double* s1, double* s2, const T* x, const T* dy, const T* mean, int64_t outer, int64_t channels, int64_t inner) {
  if (inner == 1) {
    for (int64_t o = 0; o < outer; ++o, x += channels, dy += channels)
      for (int64_t c = 0; c < channels; ++c) {
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
