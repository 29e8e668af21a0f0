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

// Sixteen numbers in registers.
template <class T>
struct Sixteen {
  using S = Simd<T>;
  static constexpr int kVectors = 16 / S::kWidth;
  typename S::Vector v[kVectors];

  static CANTIK_INLINE Sixteen all(T x) {
    Sixteen l;
    for (int k = 0; k < kVectors; ++k) l.v[k] = S::all(x);
    return l;
  }
  static CANTIK_INLINE Sixteen of(const T* x) {
    Sixteen l;
    for (int k = 0; k < kVectors; ++k) l.v[k] = S::load(x + k * S::kWidth);
    return l;
  }
  CANTIK_INLINE void add(const T* x) {
    for (int k = 0; k < kVectors; ++k) v[k] += S::load(x + k * S::kWidth);
  }
  CANTIK_INLINE void raise_to(const T* x) {
    for (int k = 0; k < kVectors; ++k) {
      const typename S::Vector y = S::load(x + k * S::kWidth);
      v[k] = v[k] > y ? v[k] : y;
    }
  }
  CANTIK_INLINE void store(T* x) const {
    for (int k = 0; k < kVectors; ++k) S::store(x + k * S::kWidth, v[k]);
  }
};

template <class T>
double sum_block(const T* x, int64_t n) {
  T lane[16];
  Sixteen<T> lanes = Sixteen<T>::all(0);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) lanes.add(x + i);
  lanes.store(lane);
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
  Sixteen<T> lanes = Sixteen<T>::all(x[0]);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) lanes.raise_to(x + i);
  lanes.store(lane);
  for (int j = 0; i + j < n; ++j) lane[j] = lane[j] > x[i + j] ? lane[j] : x[i + j];
  T m = lane[0];
  for (int j = 1; j < 16; ++j) m = m > lane[j] ? m : lane[j];
  return m;
}

// The largest or the least of n >= 16 numbers; false where one is none (NaN), for which the order matters.
template <class T, bool largest>
bool extreme_row(const T* x, int64_t n, T* result) {
  const auto better = [](auto a, auto b) { return largest ? (a > b ? a : b) : (a < b ? a : b); };
  Sixteen<T> lanes = Sixteen<T>::of(x);
  decltype(lanes.v[0] != lanes.v[0]) none[Sixteen<T>::kVectors] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const Sixteen<T> next = Sixteen<T>::of(x + i);
    for (int k = 0; k < Sixteen<T>::kVectors; ++k) {
      lanes.v[k] = better(lanes.v[k], next.v[k]);
      none[k] |= next.v[k] != next.v[k];
    }
  }
  bool any = false;
  for (const auto& v : none)
    for (int j = 0; j < Simd<T>::kWidth; ++j) any |= v[j] != 0;
  T lane[16];
  lanes.store(lane);
  for (int j = 0; i + j < n; ++j) lane[j] = better(lane[j], x[i + j]), any |= x[i + j] != x[i + j];
  for (int j = 1; j < 16; ++j) lane[0] = better(lane[0], lane[j]);
  *result = lane[0];
  return !any;
}

// The first n of sixteen numbers in memory; nothing beyond them is touched.
template <class T>
CANTIK_INLINE Sixteen<T> some_lanes(const T* x, int64_t n) {
  using S = Simd<T>;
  Sixteen<T> l;
  for (int k = 0; k < Sixteen<T>::kVectors; ++k) {
    const int64_t left = n - k * S::kWidth;
    l.v[k] = S::load_tail(x + k * S::kWidth, left < 0 ? 0 : left < S::kWidth ? left : S::kWidth);
  }
  return l;
}

template <class T>
CANTIK_INLINE void exp_of_lanes(T* e, const T* x, T shift) {
  for (int j = 0; j < 16; ++j) e[j] = exp_up_to_89(x[j] - shift);
}

// The sum of e^(x - shift), shift the largest; the exponentials themselves go to d, which may be x.
template <bool kKeep, class T>
double sum_exp_block(T* d, const T* x, T shift, int64_t n) {
  T lane[16], e[16];
  Sixteen<T> lanes = Sixteen<T>::all(0);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    exp_of_lanes(e, x + i, shift);
    lanes.add(e);
    if constexpr (kKeep) Sixteen<T>::of(e).store(d + i);
  }
  lanes.store(lane);
  if (i < n) {  // the rest through all lanes: the same code for every element
    T rest[16];
    some_lanes(x + i, n - i).store(rest);
    exp_of_lanes(e, rest, shift);
    for (int j = 0; i + j < n; ++j) lane[j] += e[j];
    if constexpr (kKeep)
      for (int j = 0; i + j < n; ++j) d[i + j] = e[j];
  }
  return sum_of_lanes(lane);
}
template <bool kKeep, class T>
T sum_exp(T* d, const T* x, T shift, int64_t n) {
  double total = 0;
  for (int64_t i = 0; i < n; i += kSumBlock)
    total += sum_exp_block<kKeep>(kKeep ? d + i : d, x + i, shift, n - i < kSumBlock ? n - i : kSumBlock);
  return static_cast<T>(total);
}
template <class T>
T sum_exp_row(const T* x, T shift, int64_t n) {
  return sum_exp<false>(static_cast<T*>(nullptr), x, shift, n);
}
template <class T>
T exp_and_sum_row(T* d, const T* x, T shift, int64_t n) {
  return sum_exp<true>(d, x, shift, n);
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
