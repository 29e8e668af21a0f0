// Sums, maxima and exponentials over a row: 16 lanes, then a tree, so that a row's result is the same
// wherever it stands. Sums of float32 meet in double: what is added up last counts as much as what came
// first.
#pragma once

#include "backends/cpu/kernels/math.h"

namespace cantik::cpu {
namespace {

template <class T>
CANTIK_INLINE double sum_of_lanes(const T* lane) {
  double sum[8];
  for (int j = 0; j < 8; ++j) sum[j] = static_cast<double>(lane[j]) + static_cast<double>(lane[j + 8]);
  for (int half = 4; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) sum[j] += sum[j + half];
  return sum[0];
}

template <class T>
double sum_block(const T* x, int64_t n) {
  T lane[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 16; ++j) lane[j] += x[i + j];
  for (int j = 0; i + j < n; ++j) lane[j] += x[i + j];
  return sum_of_lanes(lane);
}

// Long rows block by block: lanes are float32.
inline constexpr int64_t kSumBlock = 4096;
template <class T>
double sum_row(const T* x, int64_t n) {
  double total = 0;
  for (int64_t i = 0; i < n; i += kSumBlock) total += sum_block(x + i, n - i < kSumBlock ? n - i : kSumBlock);
  return total;
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
double sum_exp_block(const T* x, T shift, int64_t n) {
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
  return sum_of_lanes(lane);
}
template <class T>
T sum_exp_row(const T* x, T shift, int64_t n) {
  double total = 0;
  for (int64_t i = 0; i < n; i += kSumBlock)
    total += sum_exp_block(x + i, shift, n - i < kSumBlock ? n - i : kSumBlock);
  return static_cast<T>(total);
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
template <class T>
void add_wide(double* d, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d[i] += static_cast<double>(x[i]);
}
template <class T>
void multiply_wide(double* d, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d[i] *= static_cast<double>(x[i]);
}

}  // namespace
}  // namespace cantik::cpu
