// The CPU's inner loops, compiled once for each instruction set; the best one that the processor has is
// chosen at run time.
//
// Files in kernels/ are compiled several times. They include nothing that defines inline functions of its own
// with external linkage: a copy compiled for AVX-512 might be the one the linker keeps for everybody.
#pragma once

#include <cstdint>

#include "backends/host/loops.h"

namespace cantik::cpu {

// d[i] = f(a[i], b[i], c[i]), i < n, n a multiple of 16. d may be a, b or c.
template <class T>
using TileFunction = void (*)(T* d, const T* a, const T* b, const T* c, int64_t n);

// Pairs of steps that have one loop: d[i] = second(first(a[i], b[i]), c[i]). Comparisons go with choices,
// which may be of what was compared, and arithmetic with arithmetic.
enum class PairFirst : uint8_t { add, sub, mul, lt, le, gt, ge, count };
enum class PairSecond : uint8_t {
  add,
  sub,
  sub_from,  // c less it
  mul,
  max,
  square,  // c is not read
  c_else_a,
  c_else_b,
  a_else_c,
  b_else_c,
  count
};
constexpr bool is_pair(PairFirst first, PairSecond second) {
  return (first >= PairFirst::lt) == (second >= PairSecond::c_else_a);
}

// Products read rows of A by pointer: row i is at rows[i], or at base + i * stride where there are no
// pointers.
template <class T>
struct ProductRows {
  const T* base = nullptr;
  int64_t stride = 0;
  const T* const* rows = nullptr;
};

// Elements of a row of A, and the k of the first: `length` side by side from `offset` on, or, where there is
// a table, at places[i].
struct Segment {
  int64_t offset, length, k;
  const int32_t* places = nullptr;
};

// Where B[i][j] lies before it is packed: at rows[i], or i * row_stride where there is no table, plus j *
// column_stride.
struct PanelSource {
  int64_t row_stride, column_stride;
  const int64_t* rows;
};

// What is done to a result: y * scale + shift + add, 0 for what is below it or where a gate is closed; null:
// nothing of that kind.
template <class T>
struct Finish {
  const T* center = nullptr;  // of each column: is subtracted
  const T* scale = nullptr;
  const T* shift = nullptr;
  const T* add = nullptr;   // element for element: what is at c is added from here
  const T* gate = nullptr;  // element for element: 0 where this is not above 0
  const T* c = nullptr;
  bool clip = false;
};

// C[i][n] = (accumulate ? C[i][n] : 0) + sum over k of A[i][k] * B[k][n]. B is in panels: see
// kernels/product.h.
template <class T>
struct Product {
  ProductRows<T> a;
  const T* panels = nullptr;
  T* c = nullptr;
  int64_t c_stride = 0;
  int64_t rows = 0, k = 0, n = 0;
  bool accumulate = false;
  const Finish<T>* finish = nullptr;
  T* scratch = nullptr;  // of product_scratch elements; without it rows are not packed
};

// C[k][n] = (accumulate ? C[k][n] : 0) + sum over rows r of A[r][k] * B[r][n]; rows in fixed chunks, added in
// order.
template <class T>
struct RowProduct {
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;
  T* scratch = nullptr;  // of row_product_scratch elements
  int64_t a_stride = 0, b_stride = 0, c_stride = 0;
  int64_t rows = 0, k = 0, n = 0;
  bool accumulate = false;
};

// A product whose rows are pixels: row i is read at a[i] in segments and written at c[i]. At most kMostPixels
// rows.
inline constexpr int64_t kMostPixels = 192;
template <class T>
struct PixelProduct {
  const T* const* a = nullptr;
  T* const* c = nullptr;
  int64_t pixels = 0;
  const Segment* segments = nullptr;
  int64_t segment_count = 0;
  const T* panels = nullptr;
  int64_t k = 0, n = 0;  // that the panels are packed for
  bool paired = false;
  bool scattered = false;  // segments have tables
  const Finish<T>* finish = nullptr;
};

// C[i][j] += sum over pixels p of left[p][left_offset + i] * right[p][right_offset + j].
template <class T>
struct PixelOuter {
  const T* const* left = nullptr;
  const T* const* right = nullptr;
  int64_t pixels = 0;
  int64_t left_offset = 0, left_count = 0, right_offset = 0, right_count = 0;
  T* c = nullptr;
  int64_t c_stride = 0;
};

// A convolution of each channel by itself, with one or two filters for each: pixel i is read at a[i] + the
// offsets of the segments, whose k are taps, and written at c[i]. weights: [taps][filters][n], those of the
// adjoint, which goes back from all filters to the channels, [taps][n].
template <class T>
struct PixelDepthwise {
  const T* const* a = nullptr;
  T* const* c = nullptr;
  int64_t pixels = 0;
  const Segment* segments = nullptr;
  int64_t segment_count = 0;
  const T* weights = nullptr;
  int64_t n = 0;  // channels of what is read
  int64_t filters = 1;
  bool adjoint = false;
  const Finish<T>* finish = nullptr;
};

// sums[tap][j] += sum over pixels p of x[p][the tap's offset + j / filters] * dy[p][j], begin <= j < end.
// begin is even.
template <class T>
struct PixelDepthwiseSums {
  const T* const* x = nullptr;
  const T* const* dy = nullptr;
  int64_t pixels = 0;
  const Segment* segments = nullptr;
  int64_t segment_count = 0;
  int64_t begin = 0, end = 0, n = 0, filters = 1;
  T* sums = nullptr;
};

// Pooling of pixels that have the same taps and lie at even distances. What the fields are for, see
// kernels/pooling.h.
struct Tap {
  int64_t offset;  // elements from the pixel's first tap
  int32_t pixel;   // the same in pixels
  int32_t number;  // in the window
};
template <class T>
struct PixelPool {
  const T* x = nullptr;       // the first pixel's first tap
  const T* second = nullptr;  // what else is read, at the same places as x or as y
  T* y = nullptr;
  T* places = nullptr;
  int64_t pixels = 0, x_step = 0, second_step = 0, y_step = 0;  // elements from pixel to pixel
  const Tap* taps = nullptr;
  int64_t count = 0, channels = 0;
  double divisor = 1;
  const Finish<T>* finish = nullptr;
};

// Updates a parameter and what its learner remembers of it, element by element; the arrays and numbers of an
// UpdateForm.
template <class T>
using UpdateLoop = void (*)(T* const* arrays, const T* numbers, int64_t n);
inline constexpr int kUpdateLoops = 16;  // as many as formulas.h has

// A pair's loops: whether b, and whether c, is a single number.
template <class T>
struct PairLoops {
  TileFunction<T> by[2][2];
};

template <class T>
struct Kernels : host::ElementLoops<T> {
  TileFunction<T> tile[128];         // by opcode
  TileFunction<T> tile_by_one[128];  // b is a single number; null where there is no such loop
  PairLoops<T> pairs[static_cast<int>(PairFirst::count)][static_cast<int>(PairSecond::count)];
  UpdateLoop<T> update_loops[kUpdateLoops];
  int64_t width;  // lanes of a vector
  int64_t (*panel_elements)(int64_t k, int64_t n);
  // whether so few columns go in pairs of k; unit: k, or a part of it
  bool (*paired_panels)(int64_t n, int64_t unit);
  void (*pack_panels)(const T* b, const PanelSource& from, int64_t k, int64_t n, bool paired, T* panels);
  int64_t (*product_scratch)(int64_t k, int64_t n);  // elements
  void (*product)(const Product<T>&);
  void (*row_product)(const RowProduct<T>&);
  int64_t (*row_product_scratch)(int64_t k);  // elements
  void (*pixel_product)(const PixelProduct<T>&);
  void (*pixel_outer)(const PixelOuter<T>&);
  void (*pixel_depthwise)(const PixelDepthwise<T>&);
  void (*pixel_depthwise_sums)(const PixelDepthwiseSums<T>&);
  void (*pool_max)(const PixelPool<T>&);
  void (*pool_average)(const PixelPool<T>&);
  void (*pool_max_back)(const PixelPool<T>&);
  void (*pool_average_back)(const PixelPool<T>&);
  void (*unpool)(const PixelPool<T>&);
  void (*pool_pick)(const PixelPool<T>&);
  void (*transpose)(T* d, const T* x, int64_t rows, int64_t columns);  // x: [rows][columns]
  double (*sum)(const T* x, int64_t n);                                // over 16 lanes
  T (*max)(const T* x, int64_t n);
  // of n >= 16 numbers; false where one is none
  bool (*largest)(const T* x, int64_t n, T* result);
  bool (*least)(const T* x, int64_t n, T* result);
  void (*fill)(T* d, T x, int64_t n);
  // strides in elements
  void (*copy_lines)(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t lines, int64_t n);
  // y[c] += the sum of x[r][c], row after row; rows of n columns, `stride` elements apart
  void (*add_columns)(double* y, const T* x, int64_t rows, int64_t n, int64_t stride);
  void (*multiply_wide)(double* d, const T* x, int64_t n);  // d *= x
};

struct Table {
  const char* name;  // "avx512", "avx2", "baseline"
  Kernels<float> f32;
  Kernels<double> f64;
};

// The table in use. CANTIK_ISA=baseline, avx2 or avx512 in the environment asks for one level; an error where
// the processor lacks it.
const Table& table();
// All the processor can run, best first; for tests.
const Table* const* tables(int* count);

template <class T>
const Kernels<T>& kernels();
template <>
inline const Kernels<float>& kernels<float>() {
  return table().f32;
}
template <>
inline const Kernels<double>& kernels<double>() {
  return table().f64;
}

}  // namespace cantik::cpu
