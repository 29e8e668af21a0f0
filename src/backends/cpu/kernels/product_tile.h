// The inner loop of products and convolutions: MR rows by a few vectors of columns stay in registers while k
// runs.
//
// A row of A is read in segments: products have one, a convolution one for each run of taps that lie side by
// side in memory. Each element of the result is one chain of multiply-adds in the order of k, begun with what
// C holds or with 0: whatever the tile and whatever the blocks, a row's bits depend on the row alone.
#pragma once

#include <utility>

#include "backends/cpu/kernels/finish.h"
#include "backends/cpu/table.h"

namespace cantik::cpu {
namespace {

// Sums that fit in the registers, beside a panel's vectors and one broadcast.
inline constexpr int kMostSums = CANTIK_VECTOR_BYTES == 64 ? 24 : 12;
inline constexpr int kMostSingle = kMostSums < 16 ? kMostSums : 16;  // rows by one vector

template <class T>
struct TileWork {
  const T* const* rows;  // of A
  const Segment* segments;
  int64_t segment_count;
  const T* panels;       // at the first k
  int64_t panel_stride;  // elements from panel to panel
  T* const* c;           // rows of C
  int64_t column;        // the tile's first
  int64_t tail;          // lanes of the last vector that are columns of C
  bool accumulate;       // begin with what C holds
  bool prefetch;         // the next tile's place in C
  // what is fetched while the tile runs, a line for every four k: `fetched` elements; later tiles go on
  const T* ahead;
  const T* ahead_end;  // up to here: what lies behind would only push other things out of the cache
  int64_t fetched;
  // what of it is done while the sums are in registers: shift, add, clip; or none
  const Finish<T>* finish;
};

template <class T>
using Tile = void (*)(const TileWork<T>&);

// How a row of A is read.
enum class Reading : uint8_t {
  runs,      // segments of elements side by side
  packed,    // rows stand in groups: the elements of one k side by side, k after k
  scattered  // by a table of places: where segments would be short
};
inline constexpr int kGroup = kMostSums / 2;

// What of a finish is done while the sums are in registers.
template <class T, int MR, int kVectors>
CANTIK_INLINE void finish_sums(const TileWork<T>& w, typename Simd<T>::Vector (&acc)[MR][kVectors]) {
  using S = Simd<T>;
  using Vector = typename S::Vector;
  const Finish<T>* f = w.finish;
  if (!f) return;
  const bool whole = w.tail == S::kWidth;
  auto get = [&](const T* p, int v) __attribute__((always_inline)) {
    return v + 1 < kVectors || (whole && !kMaskedLoads) ? S::load(p + v * S::kWidth)
                                                        : S::load_tail(p + v * S::kWidth, w.tail);
  };
  if (f->shift) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      Vector shift = get(f->shift + w.column, v);
#pragma GCC unroll 32
      for (int i = 0; i < MR; ++i) acc[i][v] += shift;
    }
  }
  if (f->add) {
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) acc[i][v] += get(f->add + (w.c[i] - f->c) + w.column, v);
  }
  if (f->clip) {
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
      // so that a NaN stays
      for (int v = 0; v < kVectors; ++v) acc[i][v] = Vector{} > acc[i][v] ? Vector{} : acc[i][v];
  }
}

// NP panels of NV vectors.
template <class T, int MR, int NV, int NP, Reading kReading>
void product_tile(const TileWork<T>& w) {
  using S = Simd<T>;
  using Vector = typename S::Vector;
  constexpr int kVectors = NV * NP, kPanelWidth = NV * S::kWidth;
  constexpr bool kPacked = kReading == Reading::packed, kScattered = kReading == Reading::scattered;
  Vector acc[MR][kVectors];
  const T* row[MR];
  const bool whole = w.tail == S::kWidth;
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i) row[i] = kPacked ? w.rows[0] + i : w.rows[i];
  if (w.accumulate) {
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        const T* p = w.c[i] + w.column + v * S::kWidth;
        acc[i][v] = v + 1 < kVectors || (whole && !kMaskedLoads) ? S::load(p) : S::load_tail(p, w.tail);
      }
  } else {
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) acc[i][v] = Vector{};
  }
  const int64_t panel_stride = w.panel_stride;
  const T* ahead = w.ahead;
  for (const Segment *s = w.segments, *last = s + w.segment_count; s < last; ++s) {
    const T* b = w.panels + s->k * kPanelWidth;
    const int32_t* places = kScattered ? s->places : nullptr;
    int64_t at = kScattered ? 0 : s->offset, end = at + s->length;
    auto step = [&](int64_t u) __attribute__((always_inline)) {
      Vector y[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        y[v] = S::load(b + (v / NV) * panel_stride + u * kPanelWidth + (v % NV) * S::kWidth);
        if constexpr (MR > 1) S::keep(y[v]);
      }
      const int64_t place = kScattered ? places[at + u] : kPacked ? (at + u) * kGroup : at + u;
#pragma GCC unroll 32
      for (int i = 0; i < MR; ++i) {
        Vector x = S::all(row[i][place]);
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) S::add_product(acc[i][v], x, y[v]);
      }
    };
    for (; at + 4 <= end; at += 4, b += 4 * kPanelWidth) {
      step(0), step(1), step(2), step(3);
      if constexpr (kPacked) __builtin_prefetch(ahead, 0, 2), ahead += 64 / sizeof(T);
    }
    for (; at < end; ++at, b += kPanelWidth) step(0);
  }
  finish_sums<T, MR, kVectors>(w, acc);
  if (whole) {
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i) {
      T* p = w.c[i] + w.column;
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) S::store(p + v * S::kWidth, acc[i][v]);
    }
  } else {
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i) {
      T* p = w.c[i] + w.column;
#pragma GCC unroll 8
      for (int v = 0; v + 1 < kVectors; ++v) S::store(p + v * S::kWidth, acc[i][v]);
      S::store_tail(p + (kVectors - 1) * S::kWidth, acc[i][kVectors - 1], w.tail);
    }
  }
}

// Panels of one vector would keep the load ports busier than the multipliers: where all segments are even,
// two values of k go side by side. A vector then holds half as many columns, each with its even and its odd
// k; both sums are added at the end.
template <class T, int MR>
void paired_tile(const TileWork<T>& w) {
  using S = Simd<T>;
  using Vector = typename S::Vector;
  constexpr int kPanelWidth = 2 * S::kWidth;  // of two k
  Vector acc[MR][2];
  const T* row[MR];
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i) row[i] = w.rows[i], acc[i][0] = acc[i][1] = Vector{};
  for (const Segment *s = w.segments, *last = s + w.segment_count; s < last; ++s) {
    const T* b = w.panels + s->k * S::kWidth;
    int64_t at = s->offset, end = at + s->length;
    auto step = [&](int64_t u) __attribute__((always_inline)) {
      Vector y0 = S::load(b + u / 2 * kPanelWidth), y1 = S::load(b + u / 2 * kPanelWidth + S::kWidth);
      S::keep(y0), S::keep(y1);
#pragma GCC unroll 32
      for (int i = 0; i < MR; ++i) {
        Vector x = S::pairs(row[i] + at + u);
        S::add_product(acc[i][0], x, y0);
        S::add_product(acc[i][1], x, y1);
      }
    };
    for (; at + 4 <= end; at += 4, b += 2 * kPanelWidth) step(0), step(2);
    for (; at < end; at += 2, b += kPanelWidth) step(0);
  }
  Vector sums[MR][1];
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i) {
    Vector y = S::evens(acc[i][0], acc[i][1]) + S::odds(acc[i][0], acc[i][1]);
    const T* p = w.c[i] + w.column;
    if (w.accumulate) y = w.tail == S::kWidth ? S::load(p) + y : S::load_tail(p, w.tail) + y;
    sums[i][0] = y;
  }
  finish_sums<T, MR, 1>(w, sums);
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i) {
    T* p = w.c[i] + w.column;
    if (w.tail == S::kWidth)
      S::store(p, sums[i][0]);
    else
      S::store_tail(p, sums[i][0], w.tail);
  }
}

// What follows the sums, on a tile that has just been stored: center, scale, shift, another term, zero for
// what is below it.
template <class T>
void finish_tile(const Finish<T>& f, const TileWork<T>& w, int rows, int vectors) {
  using S = Simd<T>;
  using Vector = typename S::Vector;
  for (int v = 0; v < vectors; ++v) {
    int64_t column = w.column + v * S::kWidth, lanes = v + 1 < vectors ? S::kWidth : w.tail;
    auto get = [&](const T* p) __attribute__((always_inline)) {
      return lanes == S::kWidth ? S::load(p) : S::load_tail(p, lanes);
    };
    Vector center = f.center ? get(f.center + column) : S::all(0),
           scale = f.scale ? get(f.scale + column) : S::all(1),
           shift = f.shift ? get(f.shift + column) : S::all(0);
    for (int i = 0; i < rows; ++i) {
      T* p = w.c[i] + column;
      Vector y = get(p);
      if (f.center) y = y - center;
      if (f.scale) y = y * scale, S::keep(y);
      if (f.shift) y = y + shift;
      y = elementwise_finish(f, y, get, p);
      if (lanes == S::kWidth)
        S::store(p, y);
      else
        S::store_tail(p, y, lanes);
    }
  }
}

// The tiles of one kind, by their number of rows.
template <class T, int NV, int NP, Reading kReading = Reading::runs>
struct Tiles {
  // Four panels at once are for one row.
  static constexpr int kMost = NV * NP == 1 ? kMostSingle : NP == 4 ? 1 : kMostSums / (NV * NP);
  static CANTIK_INLINE Tile<T> of(int64_t rows) {
    return list(std::make_integer_sequence<int, kMost>(), rows);
  }

 private:
  template <int... I>
  static CANTIK_INLINE Tile<T> list(std::integer_sequence<int, I...>, int64_t rows) {
    static constexpr Tile<T> tiles[] = {product_tile<T, I + 1, NV, NP, kReading>...};
    return tiles[rows - 1];
  }
};

template <class T>
struct PairedTiles {
  static constexpr int kMost = kGroup;
  static CANTIK_INLINE Tile<T> of(int64_t rows) {
    return list(std::make_integer_sequence<int, kMost>(), rows);
  }

 private:
  template <int... I>
  static CANTIK_INLINE Tile<T> list(std::integer_sequence<int, I...>, int64_t rows) {
    static constexpr Tile<T> tiles[] = {paired_tile<T, I + 1>...};
    return tiles[rows - 1];
  }
};

}  // namespace
}  // namespace cantik::cpu
