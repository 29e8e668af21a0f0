// Loops of the updates in formulas.h.
#pragma once

#include "backends/cpu/formulas.h"
#include "backends/cpu/kernels/math.h"
#include "backends/cpu/table.h"

namespace cantik::cpu {
namespace {

template <class T, class F>
void update_loop(T* const* arrays, const T* numbers, int64_t n) {
  T number[F::kNumbers];
  for (int i = 0; i < F::kNumbers; ++i) number[i] = numbers[i];
  T* array[F::kArrays];
  for (int i = 0; i < F::kArrays; ++i) array[i] = arrays[i];
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < n; ++i) {
    T x[F::kArrays];
    for (int k = 0; k < F::kArrays; ++k) x[k] = array[k][i];
    F::step(x, number, [](T v) { return sqrt_(v); });
    array[0][i] = x[0];
    for (int k = 2; k < F::kArrays; ++k) array[k][i] = x[k];
  }
}

template <class T, class... F>
void fill_update_loops(Kernels<T>& k, FormulaList<F...>) {
  static_assert(sizeof...(F) == kUpdateLoops);
  int i = 0;
  ((k.update_loops[i++] = update_loop<T, F>), ...);
}

}  // namespace
}  // namespace cantik::cpu
