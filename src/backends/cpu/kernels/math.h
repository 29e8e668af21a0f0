// Elementary functions without branches, so that loops over them vectorise. Float ones are good to 1-2 units in the last place.
#pragma once

#include <math.h>

#include "backends/cpu/kernels/simd.h"

namespace cantik::cpu {
namespace {

CANTIK_INLINE int32_t bits_of(float x) { int32_t i; __builtin_memcpy(&i, &x, 4); return i; }
CANTIK_INLINE float float_of(int32_t i) { float x; __builtin_memcpy(&x, &i, 4); return x; }

// exp: x = n ln 2 + r, |r| <= ln 2 / 2, a polynomial for exp r (Cephes' coefficients), 2^n by two exponent shifts.
CANTIK_INLINE float exp_(float x) {
  float t = x < -104.0f ? -104.0f : x;
  t = t > 89.0f ? 89.0f : t;
  float n = __builtin_floorf(t * 1.44269504088896341f + 0.5f);
  float r = t - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  int32_t i = static_cast<int32_t>(n), half = i >> 1;
  float y = p * float_of((half + 127) << 23) * float_of((i - half + 127) << 23);
  return x != x ? x : y;
}
CANTIK_INLINE double exp_(double x) { return __builtin_exp(x); }

// log: x = 2^e m, m in [sqrt 1/2, sqrt 2), a polynomial in m - 1 (Cephes' coefficients).
CANTIK_INLINE float log_(float x) {
  bool tiny = x < 1.17549435e-38f;
  float s = tiny ? x * 8388608.0f : x;
  int32_t i = bits_of(s);
  float e = static_cast<float>((i >> 23) - 126) - (tiny ? 23.0f : 0.0f);
  float m = float_of((i & 0x007fffff) | 0x3f000000);
  bool low = m < 0.707106781186547524f;
  e = low ? e - 1.0f : e;
  m = low ? m + m - 1.0f : m - 1.0f;
  float z = m * m;
  float p = 7.0376836292e-2f;
  p = p * m + -1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m + -1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m + -1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m + -2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  float y = m * z * p + e * -2.12194440e-4f - 0.5f * z;
  y = m + y + e * 0.693359375f;
  y = x == 0.0f ? -__builtin_inff() : y;
  y = x == __builtin_inff() ? x : y;
  return x < 0.0f || x != x ? __builtin_nanf("") : y;
}
CANTIK_INLINE double log_(double x) { return __builtin_log(x); }

// Near 0 a polynomial keeps the relative precision, further out the exponential form does.
CANTIK_INLINE float tanh_(float x) {
  float a = __builtin_fabsf(x), z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z + -5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z + -3.33332819422e-1f;
  float near = p * z * x + x;
  float far = 1.0f - 2.0f / (exp_(a + a) + 1.0f);
  far = x < 0.0f ? -far : far;
  return a < 0.625f ? near : far;
}
CANTIK_INLINE double tanh_(double x) { return __builtin_tanh(x); }

CANTIK_INLINE float sigmoid_(float x) { return 1.0f / (1.0f + exp_(-x)); }
CANTIK_INLINE double sigmoid_(double x) { return 1.0 / (1.0 + __builtin_exp(-x)); }

// log(1 + exp x), for x <= 0 of the form log(1 + t), t in (0, 1].
CANTIK_INLINE float log1p_of_exp(float x) {
  float t = exp_(x), u = 1.0f + t;
  return t < 1e-4f ? t - 0.5f * t * t : log_(u) + (t - (u - 1.0f)) / u;
}
CANTIK_INLINE double log1p_of_exp(double x) { return __builtin_log1p(__builtin_exp(x)); }

#define CANTIK_FROM_LIBM(name)                                                   \
  CANTIK_INLINE float name##_(float x) { return __builtin_##name##f(x); }        \
  CANTIK_INLINE double name##_(double x) { return __builtin_##name(x); }
CANTIK_FROM_LIBM(sqrt)
CANTIK_FROM_LIBM(floor)
CANTIK_FROM_LIBM(ceil)
CANTIK_FROM_LIBM(fabs)
CANTIK_FROM_LIBM(sin)
CANTIK_FROM_LIBM(cos)
CANTIK_FROM_LIBM(tan)
CANTIK_FROM_LIBM(asin)
CANTIK_FROM_LIBM(acos)
CANTIK_FROM_LIBM(atan)
CANTIK_FROM_LIBM(sinh)
CANTIK_FROM_LIBM(cosh)
CANTIK_FROM_LIBM(asinh)
CANTIK_FROM_LIBM(acosh)
CANTIK_FROM_LIBM(atanh)
#undef CANTIK_FROM_LIBM
CANTIK_INLINE float pow_(float a, float b) { return __builtin_powf(a, b); }
CANTIK_INLINE double pow_(double a, double b) { return __builtin_pow(a, b); }

}  // namespace
}  // namespace cantik::cpu
