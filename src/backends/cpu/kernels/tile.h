// One loop for each opcode over a tile in cache: the interpreter of elementwise chains calls them one after
// another.
#pragma once

#include "backends/cpu/kernels/math.h"
#include "backends/cpu/table.h"
#include <cantik/plugin.h>

namespace cantik::cpu {
namespace {

// one: b is a single number.
#define CANTIK_TILE(name, formula)                                        \
  template <class T, bool one = false>                                    \
  void tile_##name(T* d, const T* a, const T* b, const T* c, int64_t n) { \
    const T number = one ? *b : T(0);                                     \
    (void)b, (void)c, (void)number;                                       \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < n; ++i) {                \
      const T x = a[i];                                                   \
      (void)x;                                                            \
      d[i] = static_cast<T>(formula);                                     \
    }                                                                     \
  }
#define Y (one ? number : b[i])
#define Z c[i]
CANTIK_TILE(add, x + Y)
CANTIK_TILE(sub, x - Y)
CANTIK_TILE(mul, x* Y)
CANTIK_TILE(div, x / Y)
CANTIK_TILE(min, x < Y ? x : Y)
CANTIK_TILE(max, x > Y ? x : Y)
CANTIK_TILE(any_pow, pow_(x, Y))
CANTIK_TILE(square, x* x)
CANTIK_TILE(cube, x* x* x)
CANTIK_TILE(lt, x < Y ? T(1) : T(0))
CANTIK_TILE(le, x <= Y ? T(1) : T(0))
CANTIK_TILE(gt, x > Y ? T(1) : T(0))
CANTIK_TILE(ge, x >= Y ? T(1) : T(0))
CANTIK_TILE(eq, x == Y ? T(1) : T(0))
CANTIK_TILE(ne, x != Y ? T(1) : T(0))
CANTIK_TILE(log_add_exp, (x > Y ? x : Y) + log1p_of_exp(-fabs_(x - Y)))
CANTIK_TILE(neg, -x)
CANTIK_TILE(abs, fabs_(x))
CANTIK_TILE(sqrt, sqrt_(x))
CANTIK_TILE(floor, floor_(x))
CANTIK_TILE(ceil, ceil_(x))
CANTIK_TILE(exp, exp_(x))
CANTIK_TILE(log, log_(x))
CANTIK_TILE(near_sin, sin_(x))
CANTIK_TILE(near_cos, cos_(x))
CANTIK_TILE(near_tan, tan_(x))
CANTIK_TILE(asin, asin_(x))
CANTIK_TILE(acos, acos_(x))
CANTIK_TILE(atan, atan_(x))
CANTIK_TILE(sinh, sinh_(x))
CANTIK_TILE(cosh, cosh_(x))
CANTIK_TILE(tanh, tanh_(x))
CANTIK_TILE(asinh, asinh_(x))
CANTIK_TILE(acosh, acosh_(x))
CANTIK_TILE(atanh, atanh_(x))
CANTIK_TILE(sigmoid, sigmoid_(x))
CANTIK_TILE(sign, x > 0 ? T(1) : x < 0 ? T(-1) : T(0))
CANTIK_TILE(reciprocal, T(1) / x)
CANTIK_TILE(softplus, (x > 0 ? x : T(0)) + log1p_of_exp(-fabs_(x)))
CANTIK_TILE(erf, erf_(x))
CANTIK_TILE(select, x != 0 ? Y : Z)
CANTIK_TILE(fma, x* Y + Z)
#undef Y
#undef Z
#undef CANTIK_TILE

// An exponent is mostly the same for all.
template <class T>
void tile_pow(T* d, const T* a, const T* b, const T* c, int64_t n) {
  const T first = n > 0 ? b[0] : T(0);
  decltype(bits_of(first)) differ = 0;
  for (int64_t i = 0; i < n; ++i) differ |= bits_of(b[i]) ^ bits_of(first);
  const bool one = differ == 0;
  (one && first == 2 ? tile_square<T> : one && first == 3 ? tile_cube<T> : tile_any_pow<T>)(d, a, b, c, n);
}

// Whether all angles are small enough for the formulas; libm's functions of double take any.
inline bool are_near(const float* a, int64_t n) {
  bool all = true;
  for (int64_t i = 0; i < n; ++i) all &= fabs_(a[i]) <= kMostTurned;
  return all;
}
inline bool are_near(const double*, int64_t) { return true; }

// Block by block; those too large for the formula one at a time, so that a result does not depend on others.
template <class T, class Near, class Far>
void of_angles(T* d, const T* a, int64_t n, Near&& near, Far&& far) {
  constexpr int64_t kBlock = 256;
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = n - i < kBlock ? n - i : kBlock;
    if (are_near(a + i, m)) {
      near(d + i, a + i, m);
      continue;
    }
    T x[kBlock];  // d may be a
    for (int64_t j = 0; j < m; ++j) x[j] = a[i + j];
    near(d + i, x, m);
    for (int64_t j = 0; j < m; ++j)
      if (!are_near(x + j, 1)) d[i + j] = static_cast<T>(far(static_cast<double>(x[j])));
  }
}

#define CANTIK_TILE_OF_ANGLES(name)                                                        \
  template <class T>                                                                       \
  void tile_##name(T* d, const T* a, const T* b, const T* c, int64_t n) {                  \
    of_angles(                                                                             \
        d, a, n, [=](T* y, const T* x, int64_t m) { tile_near_##name<T>(y, x, b, c, m); }, \
        [](double x) { return __builtin_##name(x); });                                     \
  }
CANTIK_TILE_OF_ANGLES(sin)
CANTIK_TILE_OF_ANGLES(cos)
CANTIK_TILE_OF_ANGLES(tan)
#undef CANTIK_TILE_OF_ANGLES

#define CANTIK_SET_BOTH(op, name) k.tile[op] = tile_##name<T>, k.tile_by_one[op] = tile_##name<T, true>

template <class T>
void fill_tiles(Kernels<T>& k) {
  auto set = [&](int op, TileFunction<T> f) { k.tile[op] = f; };
  CANTIK_SET_BOTH(CANTIK_X_ADD, add);
  CANTIK_SET_BOTH(CANTIK_X_SUB, sub);
  CANTIK_SET_BOTH(CANTIK_X_MUL, mul);
  CANTIK_SET_BOTH(CANTIK_X_DIV, div);
  CANTIK_SET_BOTH(CANTIK_X_MIN, min);
  CANTIK_SET_BOTH(CANTIK_X_MAX, max);
  CANTIK_SET_BOTH(CANTIK_X_LT, lt);
  CANTIK_SET_BOTH(CANTIK_X_LE, le);
  CANTIK_SET_BOTH(CANTIK_X_GT, gt);
  CANTIK_SET_BOTH(CANTIK_X_GE, ge);
  CANTIK_SET_BOTH(CANTIK_X_EQ, eq);
  CANTIK_SET_BOTH(CANTIK_X_NE, ne);
  set(CANTIK_X_POW, tile_pow<T>), set(CANTIK_X_LOG_ADD_EXP, tile_log_add_exp<T>);
  set(CANTIK_X_NEG, tile_neg<T>), set(CANTIK_X_ABS, tile_abs<T>), set(CANTIK_X_SQRT, tile_sqrt<T>),
      set(CANTIK_X_FLOOR, tile_floor<T>);
  set(CANTIK_X_CEIL, tile_ceil<T>), set(CANTIK_X_EXP, tile_exp<T>), set(CANTIK_X_LOG, tile_log<T>),
      set(CANTIK_X_SIN, tile_sin<T>);
  set(CANTIK_X_COS, tile_cos<T>), set(CANTIK_X_TAN, tile_tan<T>), set(CANTIK_X_ASIN, tile_asin<T>),
      set(CANTIK_X_ACOS, tile_acos<T>);
  set(CANTIK_X_ATAN, tile_atan<T>), set(CANTIK_X_SINH, tile_sinh<T>), set(CANTIK_X_COSH, tile_cosh<T>),
      set(CANTIK_X_TANH, tile_tanh<T>);
  set(CANTIK_X_ASINH, tile_asinh<T>), set(CANTIK_X_ACOSH, tile_acosh<T>), set(CANTIK_X_ATANH, tile_atanh<T>);
  set(CANTIK_X_SIGMOID, tile_sigmoid<T>), set(CANTIK_X_SIGN, tile_sign<T>),
      set(CANTIK_X_RECIPROCAL, tile_reciprocal<T>);
  set(CANTIK_X_SOFTPLUS, tile_softplus<T>), set(CANTIK_X_ERF, tile_erf<T>),
      set(CANTIK_X_SELECT, tile_select<T>), set(CANTIK_X_FMA, tile_fma<T>);
}
#undef CANTIK_SET_BOTH

}  // namespace
}  // namespace cantik::cpu
