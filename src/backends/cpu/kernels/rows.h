// Rows added to rows: what sums over rows and gathered tables are made of.
#pragma once

#include "backends/cpu/kernels/simd.h"

namespace cantik::cpu {
namespace {

template <class T>
void add_scaled_row(T* d, const T* x, T a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d[i] += a * x[i];
}

}  // namespace
}  // namespace cantik::cpu
