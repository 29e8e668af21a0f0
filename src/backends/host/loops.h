// Loops: what kernels that operators' files write themselves, in plain C++ over host rows, ask of the
// processor's instruction set.
#pragma once

#include <cstdint>

namespace cantik::host {

template <class T>
struct ElementLoops {
  void (*add)(T* d, const T* x, int64_t n);                        // d += x
  void (*add_wide)(double* d, const T* x, int64_t n);              // d += x
  void (*add_scaled)(T* d, const T* x, T a, int64_t n);            // d += a * x
  void (*log_sum_exp)(T* y, const T* z, int64_t rows, int64_t n);  // y[r] = log sum exp z[r]
  // of each row, times scale[r] (null: 1)
  void (*softmax)(T* y, const T* z, const T* scale, int64_t rows, int64_t n);
  void (*log_softmax)(T* y, const T* z, int64_t rows, int64_t n);  // of each row
  // Of a row [outer, channels, inner]: s1[c] += sum of x, s2[c] += sum of x^2; or s1[c] += sum of dy, s2[c]
  // += sum of dy (x - mean[c]).
  void (*channel_sums)(double* s1, double* s2, const T* x, int64_t outer, int64_t channels, int64_t inner);
  void (*channel_products)(double* s1, double* s2, const T* x, const T* dy, const T* mean, int64_t outer,
                           int64_t channels, int64_t inner);
};

template <class T>
const ElementLoops<T>& loops();
template <>
const ElementLoops<float>& loops<float>();
template <>
const ElementLoops<double>& loops<double>();

}  // namespace cantik::host
