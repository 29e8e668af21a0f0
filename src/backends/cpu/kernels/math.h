// Elementary functions without branches, so that loops over them vectorise. Float ones are good to 1-3 units
// in the last place.
#pragma once

#include <math.h>

#include "backends/cpu/kernels/simd.h"

namespace cantik::cpu {
namespace {

CANTIK_INLINE int32_t bits_of(float x) {
  int32_t i;
  __builtin_memcpy(&i, &x, 4);
  return i;
}
CANTIK_INLINE float float_of(int32_t i) {
  float x;
  __builtin_memcpy(&x, &i, 4);
  return x;
}
CANTIK_INLINE int64_t bits_of(double x) {
  int64_t i;
  __builtin_memcpy(&i, &x, 8);
  return i;
}
CANTIK_INLINE double double_of(int64_t i) {
  double x;
  __builtin_memcpy(&x, &i, 8);
  return x;
}
// Added to a double and taken away, it rounds the double; the integer is in the low bits of the sum.
inline constexpr double kRoundsDoubles = 6755399441055744.0;  // 1.5 * 2^52

// exp: x = n ln 2 + r, |r| <= ln 2 / 2, a polynomial for exp r - 1 (Cephes' coefficients), 2^n by shifts of
// the exponent.
struct Reduced {
  float exp_r_minus_1;
  int32_t n;  // in the low bits: what is added to a float to round it leaves the integer there
};
CANTIK_INLINE Reduced reduced(float x) {
  const float kRound = 12582912.0f;  // 1.5 * 2^23
  float s = x * 1.44269504088896341f + kRound, n = s - kRound;
  float r = x - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return {p * (r * r) + r, bits_of(s)};
}
CANTIK_INLINE float power_of_two(int32_t n) {
  return float_of(static_cast<int32_t>((static_cast<uint32_t>(n) << 23) + 0x3f800000u));
}

CANTIK_INLINE float exp_up_to_89(float x) {
  Reduced e = reduced(x < -104.0f ? -104.0f : x);
  int32_t n = e.n - 0x4b400000, half = n >> 1;  // 2^n may be too small for one float, or too large
  return (e.exp_r_minus_1 + 1.0f) * power_of_two(half) * power_of_two(n - half);
}
CANTIK_INLINE double exp_up_to_89(double x) { return __builtin_exp(x); }
CANTIK_INLINE float exp_(float x) { return exp_up_to_89(x > 89.0f ? 89.0f : x); }
CANTIK_INLINE double exp_(double x) { return __builtin_exp(x); }

// For x <= 0: what is below the smallest normal number is 0; exp x - 1 keeps its relative precision.
inline constexpr float kLogOfLeast = -87.3365447f;
CANTIK_INLINE float exp_of_negative(float x) {
  Reduced e = reduced(x < kLogOfLeast ? kLogOfLeast : x);
  float y = (e.exp_r_minus_1 + 1.0f) * power_of_two(e.n);
  return x < kLogOfLeast ? 0.0f : y;
}
CANTIK_INLINE float exp_minus_1_of_negative(float x) {
  Reduced e = reduced(x < kLogOfLeast ? kLogOfLeast : x);
  float scale = power_of_two(e.n);
  return scale * e.exp_r_minus_1 + (scale - 1.0f);
}

// 1 / d for 1 <= d <= 2. A vector's division takes as long as twenty multiply-adds; this takes six: the best
// cubic (the one whose 1 - d y is a Chebyshev polynomial, 0.0017 at most) and a step that cubes its error.
CANTIK_INLINE float reciprocal(float d) {
#if defined(__FMA__)
  float y = -0.22183709f;
  y = y * d + 1.3310225f;
  y = y * d + -2.9393413f;
  y = y * d + 2.8284228f;
  float e = 1.0f - d * y;
  return y + y * (e * e + e);
#else
  return 1.0f / d;
#endif
}

// log: x = 2^e m, m in [sqrt 1/2, sqrt 2), a polynomial in m - 1 (Cephes' coefficients).
CANTIK_INLINE float log_(float x) {
  const int32_t kRootOfHalf = 0x3f3504f3;
  bool tiny = x < 1.17549435e-38f;
  int32_t i = bits_of(tiny ? x * 8388608.0f : x), n = (i - kRootOfHalf) >> 23;
  float e = static_cast<float>(n) - (tiny ? 23.0f : 0.0f);
  float m = float_of(i - static_cast<int32_t>(static_cast<uint32_t>(n) << 23)) - 1.0f;
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

// |tanh x| = -t / (2 + t), t = exp(-2 |x|) - 1.
CANTIK_INLINE float tanh_(float x) {
  float t = exp_minus_1_of_negative(-2.0f * __builtin_fabsf(x));
  return __builtin_copysignf(t * reciprocal(2.0f + t), x);
}
CANTIK_INLINE double tanh_(double x) { return __builtin_tanh(x); }

CANTIK_INLINE float sigmoid_(float x) {
  float e = exp_of_negative(-__builtin_fabsf(x));
  return (x < 0.0f ? e : 1.0f) * reciprocal(1.0f + e);
}
CANTIK_INLINE double sigmoid_(double x) { return 1.0 / (1.0 + __builtin_exp(-x)); }

// log(1 + exp x), for x <= 0 of the form log(1 + t), t in (0, 1].
CANTIK_INLINE float log1p_of_exp(float x) {
  float t = exp_(x), u = 1.0f + t;
  return t < 1e-4f ? t - 0.5f * t * t : log_(u) + (t - (u - 1.0f)) / u;
}
CANTIK_INLINE double log1p_of_exp(double x) { return __builtin_log1p(__builtin_exp(x)); }

// erf x = 1 - e^(-x q), q a polynomial in x; from 4 on it is 1 in float. The coefficients are a fit of least
// squares whose weights follow the error of erf (Lawson 1961).
CANTIK_INLINE float erf_(float x) {
  const float size = __builtin_fabsf(x), y = size > 4.0f ? 4.0f : size;
  float q = -9.25961459e-6f;
  q = q * y + 1.17669583e-4f;
  q = q * y + -6.32931839e-4f;
  q = q * y + 1.66718948e-3f;
  q = q * y + -1.60545469e-4f;
  q = q * y + -1.91529909e-2f;
  q = q * y + 1.02777813e-1f;
  q = q * y + 6.36619383e-1f;
  q = q * y + 1.12837917f;
  return __builtin_copysignf(exp_minus_1_of_negative(-y * q), x);
}
CANTIK_INLINE double erf_(double x) { return __builtin_erf(x); }

// x = n pi / 2 + r with |r| <= pi / 4, found in double: pi / 2 in two parts, of which the first has so few
// digits that its products with n are exact (fdlibm's). Polynomials for sin r and cos r (Cephes'
// coefficients).
struct Turned {
  float sin_r, cos_r;
  double quarter;  // n modulo 4
};
// Beyond it n has too many digits, or x is no number.
inline constexpr float kMostTurned = 1e6f;
CANTIK_INLINE Turned turned(float x) {
  const double v = static_cast<double>(x);
  const double n = (v * 6.36619772367581382433e-1 + kRoundsDoubles) - kRoundsDoubles;
  const float r = static_cast<float>(v - n * 1.57079632673412561417 - n * 6.07710050650619224932e-11);
  const float z = r * r;
  float s = -1.9515295891e-4f;
  s = s * z + 8.3321608736e-3f;
  s = s * z + -1.6666654611e-1f;
  float c = 2.443315711809948e-5f;
  c = c * z + -1.388731625493765e-3f;
  c = c * z + 4.166664568298827e-2f;
  return {s * z * r + r, c * z * z + (1.0f - 0.5f * z), n - 4.0 * __builtin_floor(n * 0.25)};
}
CANTIK_INLINE float sin_(float x) {
  const Turned t = turned(x);
  const float y = t.quarter == 1.0 || t.quarter == 3.0 ? t.cos_r : t.sin_r;
  return t.quarter >= 2.0 ? -y : y;
}
CANTIK_INLINE float cos_(float x) {
  const Turned t = turned(x);
  const float y = t.quarter == 1.0 || t.quarter == 3.0 ? t.sin_r : t.cos_r;
  return t.quarter == 1.0 || t.quarter == 2.0 ? -y : y;
}
CANTIK_INLINE float tan_(float x) {
  const Turned t = turned(x);
  const bool odd = t.quarter == 1.0 || t.quarter == 3.0;
  return (odd ? -t.cos_r : t.sin_r) / (odd ? t.sin_r : t.cos_r);
}

// atan |x| = pi / 2 - atan(1 / |x|) = pi / 4 + atan((|x| - 1) / (|x| + 1)): a polynomial up to tan(pi / 8)
// (Cephes' coefficients).
CANTIK_INLINE float atan_(float x) {
  const float a = __builtin_fabsf(x);
  const bool far = a > 2.414213562373095f, middle = a > 0.4142135623730950f;
  const float t = (far ? -1.0f : middle ? a - 1.0f : a) / (far ? a : middle ? a + 1.0f : 1.0f), z = t * t;
  float p = 8.05374449538e-2f;
  p = p * z + -1.38776856032e-1f;
  p = p * z + 1.99777106478e-1f;
  p = p * z + -3.33329491539e-1f;
  const float begin = far ? 1.57079632679489661923f : middle ? 0.785398163397448309616f : 0.0f;
  return __builtin_copysignf(begin + (p * z * t + t), x);
}

// asin a for 0 <= a <= 1/2; above that asin a = pi / 2 - 2 asin sqrt((1 - a) / 2). Cephes' coefficients.
CANTIK_INLINE float asin_of_half(float a) {
  const bool large = a > 0.5f;
  const float z = large ? 0.5f * (1.0f - a) : a * a, t = large ? __builtin_sqrtf(z) : a;
  float p = 4.2163199048e-2f;
  p = p * z + 2.4181311049e-2f;
  p = p * z + 4.5470025998e-2f;
  p = p * z + 7.4953002686e-2f;
  p = p * z + 1.6666752422e-1f;
  return p * z * t + t;
}
CANTIK_INLINE float asin_(float x) {
  const float a = __builtin_fabsf(x), y = asin_of_half(a);
  return __builtin_copysignf(a > 0.5f ? 1.57079632679489661923f - 2.0f * y : y, x);
}
CANTIK_INLINE float acos_(float x) {
  const float a = __builtin_fabsf(x), y = asin_of_half(a), twice = 2.0f * y;
  const float far = x < 0.0f ? 3.14159265358979323846f - twice : twice;
  return a > 0.5f ? far : 1.57079632679489661923f - __builtin_copysignf(y, x);
}

// e^a / 2 for a >= 0, which is finite as long as sinh and cosh are.
CANTIK_INLINE float half_exp(float a) {
  const Reduced e = reduced(a > 90.0f ? 90.0f : a);
  const int32_t n = e.n - 0x4b400001, half = n >> 1;
  const float y = (e.exp_r_minus_1 + 1.0f) * power_of_two(half) * power_of_two(n - half);
  return a != a ? a : y;
}
// sinh of small numbers is a polynomial (Cephes' coefficients).
CANTIK_INLINE float sinh_(float x) {
  const float a = __builtin_fabsf(x), e = half_exp(a), z = x * x;
  float p = 2.03721912945e-4f;
  p = p * z + 8.33028376239e-3f;
  p = p * z + 1.66667160211e-1f;
  return a < 1.0f ? p * z * x + x : __builtin_copysignf(e - 0.25f / e, x);
}
CANTIK_INLINE float cosh_(float x) {
  const float e = half_exp(__builtin_fabsf(x));
  return e + 0.25f / e;
}

#define CANTIK_DOUBLE_FROM_LIBM(name) \
  CANTIK_INLINE double name##_(double x) { return __builtin_##name(x); }
CANTIK_DOUBLE_FROM_LIBM(sin)
CANTIK_DOUBLE_FROM_LIBM(cos)
CANTIK_DOUBLE_FROM_LIBM(tan)
CANTIK_DOUBLE_FROM_LIBM(asin)
CANTIK_DOUBLE_FROM_LIBM(acos)
CANTIK_DOUBLE_FROM_LIBM(atan)
CANTIK_DOUBLE_FROM_LIBM(sinh)
CANTIK_DOUBLE_FROM_LIBM(cosh)
#undef CANTIK_DOUBLE_FROM_LIBM

#define CANTIK_FROM_LIBM(name)                                            \
  CANTIK_INLINE float name##_(float x) { return __builtin_##name##f(x); } \
  CANTIK_INLINE double name##_(double x) { return __builtin_##name(x); }
CANTIK_FROM_LIBM(sqrt)
CANTIK_FROM_LIBM(floor)
CANTIK_FROM_LIBM(ceil)
CANTIK_FROM_LIBM(fabs)
CANTIK_FROM_LIBM(asinh)
CANTIK_FROM_LIBM(acosh)
CANTIK_FROM_LIBM(atanh)
#undef CANTIK_FROM_LIBM
// log2 a of a positive number: a = 2^e m, m in [sqrt 1/2, sqrt 2), and log m = 2 atanh((m - 1) / (m + 1)),
// good to 1e-12.
CANTIK_INLINE double log2_of(double a) {
  const int64_t kRootOfHalf = 0x3fe6a09e667f3bcd, kBias = 1023;
  const uint64_t n = static_cast<uint64_t>(bits_of(a) - kRootOfHalf + (kBias << 52)) >> 52;
  const double e = double_of(static_cast<int64_t>(n) + bits_of(kRoundsDoubles)) - (kRoundsDoubles + 1023.0);
  const double m = double_of(bits_of(a) - static_cast<int64_t>((n - 1023u) << 52));
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 1.0 / 17;
  p = p * z + 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  return e + 2.8853900817779268 * (s * (p * z) + s);
}
// 2^t for |t| <= 1000, good to 1e-11.
CANTIK_INLINE double exp2_of(double t) {
  const double s = t + kRoundsDoubles, r = (t - (s - kRoundsDoubles)) * 0.69314718055994531;
  double p = 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * double_of(static_cast<int64_t>((static_cast<uint64_t>(bits_of(s)) << 52) + (1023ull << 52)));
}
// 2^(y log2 |x|) in double, and the cases that the C standard (Annex F) sets apart. Squares and cubes are
// products.
CANTIK_INLINE float pow_(float x, float y) {
  const float a = fabs_(x), inf = __builtin_inff(), square = x * x, cube = square * x;
  double l = log2_of(static_cast<double>(a));
  l = a == 0.0f ? -1e300 : l;
  l = a == inf ? 1e300 : l;
  double t = static_cast<double>(y) * l;
  t = a == 1.0f ? 0.0 : t;  // to infinity, too
  t = t < -200.0 ? -200.0 : t;
  t = t > 200.0 ? 200.0 : t;
  float r = static_cast<float>(exp2_of(t));
  const bool whole = floor_(y) == y, odd = whole & (floor_(0.5f * y) != 0.5f * y);
  const float signed_r = __builtin_copysignf(r, x);
  r = odd ? signed_r : r;
  r = (x < 0.0f) & !whole & (a != inf) ? __builtin_nanf("") : r;
  r = x != x ? x : r;
  r = y == 0.0f ? 1.0f : r;
  r = y == 1.0f ? x : r;
  r = y == 2.0f ? square : r;
  r = y == 3.0f ? cube : r;
  return r;
}
CANTIK_INLINE double pow_(double a, double b) { return __builtin_pow(a, b); }

}  // namespace
}  // namespace cantik::cpu
