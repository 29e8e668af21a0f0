// Transposed products: C[k][n] = sum over rows r of A[r][k] * B[r][n], for gradients of weights.
//
// Rows are added in the order in which they come, a chunk at a time: a chunk's sum is made in registers and
// then added to C.
#pragma once

#include "backends/cpu/kernels/product_tile.h"

namespace cantik::cpu {
namespace {

inline constexpr int64_t kChunk = 256;  // rows added up in registers before they join the result
inline constexpr int64_t kPackStrips = 6, kPackVectors = 12;  // what is read so often pays for being packed
// Some of four lanes without masks take a loop: they are read once, into a panel, and tiles read whole
// vectors.
template <class T>
inline constexpr bool kPacksTails = CANTIK_VECTOR_BYTES == 16 && Simd<T>::kWidth == 4;

template <class T>
struct RowTileWork {
  const T* a;              // row 0, the tile's first k
  const T* b;              // row 0, the tile's first column
  int64_t a_step, b_step;  // elements from row to row
  int64_t rows;
  T* c;
  int64_t c_stride, tail;  // lanes of the last vector that are columns
  bool accumulate;
  T* panel;  // where a tile that packs leaves what it reads of B
};

template <class T>
using RowTile = void (*)(const RowTileWork<T>&);

// MR of k by NV vectors of columns. kSome: the last vector of B is read in part. kPacks: what is read of B is
// written to the panel, too, in whole vectors.
template <class T, int MR, int NV, bool kSome, bool kPacks = false>
void row_tile(const RowTileWork<T>& w) {
  using S = Simd<T>;
  typename S::Vector acc[MR][NV];
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) acc[i][v] = typename S::Vector{};
  const T *a = w.a, *b = w.b;
  const int64_t a_step = w.a_step, b_step = w.b_step, tail = w.tail;
  [[maybe_unused]] T* panel = w.panel;
  auto step = [&] __attribute__((always_inline)) {
    typename S::Vector y[NV];
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v)
      y[v] = kSome && v + 1 == NV ? S::load_some(b + v * S::kWidth, tail) : S::load(b + v * S::kWidth),
      S::keep(y[v]);
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i) {
      typename S::Vector x = S::all(a[i]);
#pragma GCC unroll 8
      for (int v = 0; v < NV; ++v) S::add_product(acc[i][v], x, y[v]);
    }
    if constexpr (kPacks) {
#pragma GCC unroll 8
      for (int v = 0; v < NV; ++v) S::store(panel + v * S::kWidth, y[v]);
      panel += NV * S::kWidth;
    }
    a += a_step;
    b += b_step;
  };
  int64_t r = 0;
  for (; r + 2 <= w.rows; r += 2) step(), step();
  if (r < w.rows) step();
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) {
      T* p = w.c + i * w.c_stride + v * S::kWidth;
      if (v + 1 < NV || w.tail == S::kWidth)
        S::store(p, w.accumulate ? S::load(p) + acc[i][v] : acc[i][v]);
      else
        S::store_tail(p, w.accumulate ? S::load_tail(p, w.tail) + acc[i][v] : acc[i][v], w.tail);
    }
}

inline constexpr int kMostStrip = kMostSums / 2;  // of k, in a tile of one or two vectors

template <class T, int NV, bool kSome>
struct RowTiles {
  static constexpr int kMost = NV < 3 ? kMostStrip : kMostSums / NV;
  static CANTIK_INLINE RowTile<T> of(int64_t rows) {
    return list(std::make_integer_sequence<int, kMost>(), rows);
  }

 private:
  template <int... I>
  static CANTIK_INLINE RowTile<T> list(std::integer_sequence<int, I...>, int64_t rows) {
    static constexpr RowTile<T> tiles[] = {row_tile<T, I + 1, NV, kSome>...};
    return tiles[rows - 1];
  }
};

// k is cut into strips of about the same width.
struct Strips {
  int64_t count, k;
  explicit Strips(int64_t k) : count((k + kMostStrip - 1) / kMostStrip), k(k) {}
  int64_t first(int64_t s) const { return k * s / count; }
};

// Elements for packing; see row_product.
template <class T>
int64_t row_product_scratch(int64_t k) {
  return (Strips(k).count * kMostStrip + 3 * Simd<T>::kWidth) * kChunk;
}

// The tile of the first strip leaves the panel behind while it computes; all other strips read it. Null where
// no tile does so.
template <class T, int NV>
CANTIK_INLINE RowTile<T> packing_tile(int64_t rows, bool some) {
  if constexpr (NV == 2) {
    if (rows == kMostStrip)
      return some ? row_tile<T, kMostStrip, NV, true, true> : row_tile<T, kMostStrip, NV, false, true>;
    if (rows == kMostStrip - 1)
      return some ? row_tile<T, kMostStrip - 1, NV, true, true>
                  : row_tile<T, kMostStrip - 1, NV, false, true>;
  }
  return nullptr;
}

// NV vectors of each row, one row behind the other.
template <class T>
void pack_panel(const RowTileWork<T>& w, int64_t nv, bool some) {
  using S = Simd<T>;
  T* d = w.panel;
  const T* x = w.b;
  for (int64_t i = 0; i < w.rows; ++i, d += nv * S::kWidth, x += w.b_step)
    for (int64_t u = 0; u < nv; ++u)
      S::store(d + u * S::kWidth,
               u + 1 < nv || !some ? S::load(x + u * S::kWidth) : S::load_some(x + u * S::kWidth, w.tail));
}

// All strips by the columns from j on; w.b is set.
template <class T, int NV>
CANTIK_INLINE void row_tiles_down(RowTileWork<T>& w, const RowProduct<T>& p, const Strips& strips,
                                  const T* packed_a, int64_t j, bool some, bool packs) {
  constexpr int64_t most = RowTiles<T, NV, false>::kMost;
  auto read_panel = [&] {
    w.b = w.panel;
    w.b_step = NV * Simd<T>::kWidth;
    some = packs = false;
  };
  if (packs && !packing_tile<T, NV>(strips.first(1), some)) pack_panel(w, NV, some), read_panel();
  for (int64_t s = 0; s < strips.count; ++s) {
    int64_t first = strips.first(s), width = strips.first(s + 1) - first, tiles = (width + most - 1) / most;
    for (int64_t t = 0; t < tiles; ++t) {
      int64_t k = width * t / tiles, rows = width * (t + 1) / tiles - k;
      if (packed_a)
        w.a = packed_a + s * kMostStrip * kChunk + k, w.a_step = width;
      else
        w.a = p.a + first + k, w.a_step = p.a_stride;
      w.c = p.c + (first + k) * p.c_stride + j;
      if (packs)
        packing_tile<T, NV>(rows, some)(w), read_panel();
      else if constexpr (kPacksTails<T>)
        RowTiles<T, NV, false>::of(rows)(w);
      else
        (some ? RowTiles<T, NV, true>::of(rows) : RowTiles<T, NV, false>::of(rows))(w);
    }
  }
}

template <class T, int N>
CANTIK_INLINE void copy_rows(T* d, const T* x, int64_t stride, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i, d += N, x += stride) __builtin_memcpy(d, x, sizeof(T) * N);
}

// The strips of a chunk, each row by row.
template <class T>
void pack_strips(const RowProduct<T>& p, const Strips& strips, T* memory) {
  for (int64_t s = 0; s < strips.count; ++s) {
    int64_t width = strips.first(s + 1) - strips.first(s);
    T* d = memory + s * kMostStrip * kChunk;
    const T* x = p.a + strips.first(s);
    if (width == kMostStrip)
      copy_rows<T, kMostStrip>(d, x, p.a_stride, p.rows);
    else if (width == kMostStrip - 1)
      copy_rows<T, kMostStrip - 1>(d, x, p.a_stride, p.rows);
    else {
      for (int64_t i = 0; i < p.rows; ++i, d += width, x += p.a_stride)
        for (int64_t c = 0; c < width; ++c) d[c] = x[c];
    }
  }
}

template <class T>
void row_product(const RowProduct<T>& whole) {
  constexpr int64_t width = Simd<T>::kWidth;
  Strips strips(whole.k);
  int64_t vectors = (whole.n + width - 1) / width;
  bool packed_a = vectors >= kPackVectors && strips.count > 1,
       packed_b = strips.count >= kPackStrips && vectors > 3;
  T* strip_memory = whole.scratch;
  T* panel_memory = strip_memory + strips.count * kMostStrip * kChunk;
  if (whole.rows == 0 && !whole.accumulate)
    for (int64_t i = 0; i < whole.k; ++i)
      for (int64_t j = 0; j < whole.n; ++j) whole.c[i * whole.c_stride + j] = T(0);
  RowProduct<T> p = whole;
  for (int64_t r = 0; r < whole.rows; r += kChunk) {
    p.rows = whole.rows - r < kChunk ? whole.rows - r : kChunk;
    p.a = whole.a + r * whole.a_stride;
    p.b = whole.b + r * whole.b_stride;
    p.accumulate = whole.accumulate || r > 0;
    if (packed_a) pack_strips(p, strips, strip_memory);
    for (int64_t v = 0; v < vectors;) {
      int64_t left = vectors - v, nv = left == 1 || left == 3 ? left : 2, j = v * width,
              columns = p.n - j < nv * width ? p.n - j : nv * width;
      RowTileWork<T> w{};
      w.rows = p.rows;
      w.c_stride = p.c_stride;
      w.accumulate = p.accumulate;
      w.tail = columns - (nv - 1) * width;
      w.b = p.b + j;
      w.b_step = p.b_stride;
      w.panel = panel_memory;
      const bool some = w.tail < width, packs = packed_b || (kPacksTails<T> && some);
      const T* packed = packed_a ? strip_memory : nullptr;
      if (nv == 1)
        row_tiles_down<T, 1>(w, p, strips, packed, j, some, packs);
      else if (nv == 2)
        row_tiles_down<T, 2>(w, p, strips, packed, j, some, packs);
      else
        row_tiles_down<T, 3>(w, p, strips, packed, j, some, packs);
      v += nv;
    }
  }
}

}  // namespace
}  // namespace cantik::cpu
