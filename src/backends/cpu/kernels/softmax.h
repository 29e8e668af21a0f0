// log sum exp and softmax of rows. Narrow rows are taken sixteen at a time, a lane each; wide ones one after
// another, sixteen lanes along the row. Which way it goes depends on the width alone, so a row's result does
// not depend on its neighbours.
#pragma once

#include "backends/cpu/kernels/reduce.h"

namespace cantik::cpu {
namespace {

inline constexpr int64_t kNarrow = 16;

// Sixteen rows as columns: t[j][i] = z[i][j]; missing rows repeat the last one.
template <class T>
CANTIK_INLINE void turn(const T* z, int64_t rows, int64_t n, T (*t)[16]) {
  for (int64_t i = 0; i < 16; ++i) {
    const T* row = z + (i < rows ? i : rows - 1) * n;
    for (int64_t j = 0; j < n; ++j) t[j][i] = row[j];
  }
}

template <class T>
CANTIK_INLINE void narrow_max_and_sum(const T (*t)[16], int64_t n, T* m, T* s) {
  for (int i = 0; i < 16; ++i) m[i] = t[0][i];
  for (int64_t j = 1; j < n; ++j)
    for (int i = 0; i < 16; ++i) m[i] = m[i] > t[j][i] ? m[i] : t[j][i];
  for (int i = 0; i < 16; ++i) s[i] = exp_up_to_89(t[0][i] - m[i]);
  for (int64_t j = 1; j < n; ++j)
    for (int i = 0; i < 16; ++i) s[i] += exp_up_to_89(t[j][i] - m[i]);
}

// Where the largest number is infinite it is the result, unless some are no numbers.
template <class T>
T log_sum_exp_of_infinite(const T* z, int64_t n) {
  T m = z[0];
  for (int64_t j = 1; j < n; ++j)
    if (z[j] > m || z[j] != z[j]) m = z[j];  // stays, once it is none
  return m;
}

// y[r] = log sum_j exp z[r][j]
template <class T>
void log_sum_exp_rows(T* y, const T* z, int64_t rows, int64_t n) {
  if (n <= kNarrow) {
    for (int64_t r = 0; r < rows; r += 16) {
      T t[kNarrow][16], m[16], s[16];
      int64_t count = rows - r < 16 ? rows - r : 16;
      turn(z + r * n, count, n, t);
      narrow_max_and_sum(t, n, m, s);
      for (int i = 0; i < 16; ++i) s[i] = m[i] + log_(s[i]);
      for (int64_t i = 0; i < count; ++i)
        y[r + i] = s[i] == s[i] ? s[i] : log_sum_exp_of_infinite(z + (r + i) * n, n);
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    T m = max_row(z + r * n, n);
    y[r] = m + log_(sum_exp_row(z + r * n, m, n));
    if (y[r] != y[r]) y[r] = log_sum_exp_of_infinite(z + r * n, n);
  }
}

// Of rows that are narrow: y = each(z, the largest of the row, of_sum(the row's sum of exponentials, row)).
template <class T, class OfSum, class Each>
CANTIK_INLINE void narrow_rows(T* y, const T* z, int64_t rows, int64_t n, OfSum of_sum, Each each) {
  for (int64_t r = 0; r < rows; r += 16) {
    T t[kNarrow][16], m[16], s[16];
    int64_t count = rows - r < 16 ? rows - r : 16;
    turn(z + r * n, count, n, t);
    narrow_max_and_sum(t, n, m, s);
    for (int i = 0; i < 16; ++i) s[i] = of_sum(s[i], r + (i < count ? i : count - 1));
    for (int64_t j = 0; j < n; ++j)
      for (int i = 0; i < 16; ++i) t[j][i] = each(t[j][i], m[i], s[i]);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t j = 0; j < n; ++j) y[(r + i) * n + j] = t[j][i];
  }
}

// y[r][j] = exp z[r][j] / sum_j exp z[r][j] * (scale ? scale[r] : 1)
template <class T>
void softmax_rows(T* y, const T* z, const T* scale, int64_t rows, int64_t n) {
  auto factor = [=](T sum, int64_t row) { return (scale ? scale[row] : T(1)) / sum; };
  if (n <= kNarrow)
    return narrow_rows(y, z, rows, n, factor, [](T x, T m, T f) { return exp_up_to_89(x - m) * f; });
  for (int64_t r = 0; r < rows; ++r) {
    T* line = y + r * n;
    const T f = factor(exp_and_sum_row(line, z + r * n, max_row(z + r * n, n), n), r);
    for (int64_t j = 0; j < n; ++j) line[j] *= f;
  }
}

// y[r][j] = z[r][j] - m - log sum_j exp (z[r][j] - m), m the largest of the row: what is left of z under the
// logarithm is small and exact.
template <class T>
void log_softmax_rows(T* y, const T* z, int64_t rows, int64_t n) {
  if (n <= kNarrow)
    return narrow_rows(
        y, z, rows, n, [](T sum, int64_t) { return log_(sum); },
        [](T x, T m, T log_sum) { return x - m - log_sum; });
  for (int64_t r = 0; r < rows; ++r) {
    const T m = max_row(z + r * n, n), log_sum = log_(sum_exp_row(z + r * n, m, n));
    for (int64_t j = 0; j < n; ++j) y[r * n + j] = z[r * n + j] - m - log_sum;
  }
}

}  // namespace
}  // namespace cantik::cpu
