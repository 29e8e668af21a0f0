// Turning rows into columns, a square of vectors at a time.
#pragma once

#include "backends/cpu/kernels/simd.h"

namespace cantik::cpu {
namespace {

// d[c][r] = x[r][c], as many rows and columns as a vector has numbers: vectors half the square apart are
// zipped, log2(width) times.
template <class T>
CANTIK_INLINE void turn_square(T* d, int64_t d_stride, const T* x, int64_t x_stride) {
  constexpr int kWidth = Simd<T>::kWidth;
  typename Simd<T>::Vector v[kWidth], zipped[kWidth];
#pragma GCC unroll 16
  for (int i = 0; i < kWidth; ++i) v[i] = Simd<T>::load(x + i * x_stride);
#pragma GCC unroll 4
  for (int round = 1; round < kWidth; round *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < kWidth / 2; ++i) {
      zipped[2 * i] = Simd<T>::zip_low(v[i], v[i + kWidth / 2]);
      zipped[2 * i + 1] = Simd<T>::zip_high(v[i], v[i + kWidth / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kWidth; ++i) v[i] = zipped[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < kWidth; ++i) Simd<T>::store(d + i * d_stride, v[i]);
}

// d[c][r] = x[r][c] for so many rows and columns, in memory with these strides.
template <class T>
void turn(T* d, int64_t d_stride, const T* x, int64_t x_stride, int64_t rows, int64_t columns) {
  constexpr int64_t kWidth = Simd<T>::kWidth;
  for (int64_t r = 0; r < rows; r += kWidth)
    for (int64_t c = 0; c < columns; c += kWidth) {
      if (r + kWidth <= rows && c + kWidth <= columns) {
        turn_square(d + c * d_stride + r, d_stride, x + r * x_stride + c, x_stride);
        continue;
      }
      int64_t last_row = r + kWidth < rows ? r + kWidth : rows,
              last_column = c + kWidth < columns ? c + kWidth : columns;
      for (int64_t j = c; j < last_column; ++j)
        for (int64_t i = r; i < last_row; ++i) d[j * d_stride + i] = x[i * x_stride + j];
    }
}

}  // namespace
}  // namespace cantik::cpu
