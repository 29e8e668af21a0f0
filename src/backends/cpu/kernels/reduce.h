// Sums, maxima and exponentials over a row: 16 lanes, then a tree, so that a row's result is the same
// wherever it stands.
#pragma once

#include "backends/cpu/kernels/math.h"

namespace cantik::cpu {
namespace {

template <class T>
T sum_block(const T* x, int64_t n) {
  T lane[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 16; ++j) lane[j] += x[i + j];
  for (int j = 0; i + j < n; ++j) lane[j] += x[i + j];
  for (int half = 8; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) lane[j] += lane[j + half];
  return lane[0];
}

// Long rows block by block: a sum of a million numbers would lose those that come last.
template <class T>
T sum_row(const T* x, int64_t n) {
  constexpr int64_t kBlock = 4096;
  if (n <= kBlock) return sum_block(x, n);
  double total = 0;
  for (int64_t i = 0; i < n; i += kBlock)
    total += static_cast<double>(sum_block(x + i, n - i < kBlock ? n - i : kBlock));
  return static_cast<T>(total);
}

template <class T>
T max_row(const T* x, int64_t n) {
  T lane[16];
  for (int j = 0; j < 16; ++j) lane[j] = x[0];
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 16; ++j) lane[j] = lane[j] > x[i + j] ? lane[j] : x[i + j];
  for (int j = 0; i + j < n; ++j) lane[j] = lane[j] > x[i + j] ? lane[j] : x[i + j];
  T m = lane[0];
  for (int j = 1; j < 16; ++j) m = m > lane[j] ? m : lane[j];
  return m;
}

template <class T>
T sum_exp_row(const T* x, T shift, int64_t n) {
  T lane[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 16; ++j) lane[j] += exp_(x[i + j] - shift);
  if (i < n) {  // the rest through a full row of lanes: the same code for every element
    T rest[16];
    for (int j = 0; j < 16; ++j) rest[j] = i + j < n ? x[i + j] - shift : T(0);
    for (int j = 0; j < 16; ++j) rest[j] = exp_(rest[j]);
    for (int j = 0; i + j < n; ++j) lane[j] += rest[j];
  }
  for (int half = 8; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) lane[j] += lane[j + half];
  return lane[0];
}

template <class T>
void exp_scaled_row(T* d, const T* x, T shift, T scale, int64_t n) {
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 16; ++j) d[i + j] = exp_(x[i + j] - shift) * scale;
  if (i < n) {
    T rest[16];
    for (int j = 0; j < 16; ++j) rest[j] = i + j < n ? x[i + j] - shift : T(0);
    for (int j = 0; j < 16; ++j) rest[j] = exp_(rest[j]) * scale;
    for (int j = 0; i + j < n; ++j) d[i + j] = rest[j];
  }
}

template <class T>
void add_row(T* d, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d[i] += x[i];
}

}  // namespace
}  // namespace cantik::cpu
