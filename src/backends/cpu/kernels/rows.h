// Rows filled, copied and added to rows.
#pragma once

#include "backends/cpu/kernels/simd.h"

namespace cantik::cpu {
namespace {

// Lines of a few elements each: a call of memcpy for each of them takes longer than they do.
template <class T>
void copy_lines(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t lines, int64_t n) {
  using S = Simd<T>;
  const int64_t whole = n / S::kWidth * S::kWidth, rest = n - whole;
  for (int64_t i = 0; i < lines; ++i, to += to_stride, from += from_stride) {
    for (int64_t j = 0; j < whole; j += S::kWidth) S::store(to + j, S::load(from + j));
    if (rest) S::store_some(to + whole, S::load_some(from + whole, rest), rest);
  }
}

template <class T>
void fill_row(T* d, T x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d[i] = x;
}

template <class T>
void add_scaled_row(T* d, const T* x, T a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d[i] += a * x[i];
}

}  // namespace
}  // namespace cantik::cpu
