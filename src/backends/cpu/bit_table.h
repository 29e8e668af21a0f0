// Inner loops of convolutions of bits, compiled once for each instruction set: those of table.h, and AVX-512
// with its population count.
//
// Signs are packed 32 to a word, 1 for what is above 0. What is stored are parities: word k of a list is x[0]
// ^ ... ^ x[k]; see kernels/bits.h.
#pragma once

#include <cstdint>

namespace cantik::cpu {

inline constexpr int64_t kBitsOfWord = 32;
inline constexpr int64_t kWordsTogether = 4;  // lists of words are as long as a multiple of this

// counts[p][f] = how many bits of the windows p and the filters f are unlike. panels: [panel][words][lanes],
// a filter in each lane.
struct BitProduct {
  const uint32_t* windows = nullptr;
  int64_t window_stride = 0;
  const uint32_t* panels = nullptr;
  int64_t words = 0, pixels = 0, panel_count = 0;
  int32_t* counts = nullptr;
  int64_t count_stride = 0;
};

template <class T>
struct BitKernels {
  // d: parities of the signs of n numbers side by side.
  void (*signs)(uint32_t* d, const T* x, int64_t n);
  // The same for many pixels whose channels lie x_stride apart: d[p * d_stride + word].
  void (*signs_apart)(uint32_t* d, int64_t d_stride, const T* x, int64_t x_stride, int64_t channels,
                      int64_t pixels);
  // The sum of |x| where map is above level (everywhere, without a map).
  T (*sum_of_magnitudes)(const T* x, const T* map, T level, int64_t n);
  // One more level of an approximation: b = mean with the sign of x (0 where map is not above level); y += b;
  // rest = x - b. y, rest, map may be null.
  void (*peel)(T* y, T* rest, const T* x, const T* map, T level, T mean, int64_t n);
  // y = (add ? y : 0) + (base - 2 * counts) * scale * scales.
  void (*place)(T* y, const int32_t* counts, const int32_t* base, T scale, const T* scales, int64_t n,
                bool add);
  // d[c][r] = x[r][c]
  void (*turn)(T* d, int64_t d_stride, const T* x, int64_t x_stride, int64_t rows, int64_t columns);
};

struct BitTable {
  const char* name;  // as in table.h, and "avx512_popcount"
  int64_t lanes;     // filters of a panel
  // d: the parities of a window's words, tap after tap, then up to `padded` words. A tap's are at taps[t] +
  // plane; null, outside of the image: zeros.
  void (*window)(uint32_t* d, const uint32_t* const* taps, int64_t plane, int64_t count, int64_t words,
                 int64_t padded);
  void (*count)(const BitProduct&);
  BitKernels<float> f32;
  BitKernels<double> f64;
};

// The table in use, of the level that table() has; and all the processor can run, best first, for tests.
const BitTable& bit_table();
const BitTable* const* bit_tables(int* count);

template <class T>
const BitKernels<T>& bit_kernels();
template <>
inline const BitKernels<float>& bit_kernels<float>() {
  return bit_table().f32;
}
template <>
inline const BitKernels<double>& bit_kernels<double>() {
  return bit_table().f64;
}

}  // namespace cantik::cpu
