// Matrix products over packed panels of B.
//
// B's columns are cut into panels of two vectors, [panels][k][2 * width]; if the number of vectors is odd,
// the last panel has three (or the only one has one). A block of rows of A stays in the second cache while
// the panels pass; few rows take several panels at once, so that there are enough independent sums; rows that
// lie far apart are packed, a block of k at a time.
#pragma once

#include "backends/cpu/kernels/product_tile.h"
#include "backends/cpu/kernels/turn.h"

namespace cantik::cpu {
namespace {

inline constexpr int64_t kBlockRows = 192;  // rows between two passes over the panels
inline constexpr int64_t kMostDepth = 768;  // of k in one pass; more is done in blocks of kDepth
inline constexpr int64_t kDepth = 512;
inline constexpr int64_t kPrefetchDepth = 128;  // tiles that take as long fetch the next one's place in C
inline constexpr int64_t kPackColumns = 256;    // from here on it pays to pack rows
// Columns that fit into one vector go in pairs of k.
inline constexpr bool kPairsK = CANTIK_VECTOR_BYTES > 16;

template <class T>
struct RowBlock {
  const T* const* a;
  T* const* c;
  int64_t rows;
};

template <class T>
struct RowPointers {
  alignas(64) const T* a[kBlockRows];
  alignas(64) T* c[kBlockRows];
};

// All tiles of one kind in a block of rows, at the tile's column. Rows are dealt out evenly: to the tiles of
// a block, or of each group of packed rows.
template <class T, class Kind, Reading kReading>
CANTIK_INLINE void tiles_down(TileWork<T>& w, const RowBlock<T>& block, const Finish<T>* finish,
                              int vectors) {
  constexpr int64_t most = Kind::kMost;
  constexpr bool kPacked = kReading == Reading::packed;
  for (int64_t group = 0; group < block.rows; group += kPacked ? kGroup : block.rows) {
    int64_t rows = kPacked && block.rows - group > kGroup ? kGroup : block.rows - group,
            tiles = (rows + most - 1) / most;
    for (int64_t t = 0; t < tiles; ++t) {
      int64_t first = rows * t / tiles, count = rows * (t + 1) / tiles - first;
      w.rows = block.a + group + first;
      w.c = block.c + group + first;
      if (w.prefetch)
        for (int64_t i = first + count; i < first + 2 * count && group + i < block.rows; ++i)
          for (int v = 0; v < vectors; ++v)
            __builtin_prefetch(block.c[group + i] + w.column + v * Simd<T>::kWidth, 1);
      Kind::of(count)(w);
      if constexpr (kPacked)
        w.ahead = w.ahead + w.fetched < w.ahead_end ? w.ahead + w.fetched : w.ahead_end - w.fetched;
      if (finish) finish_tile(*finish, w, static_cast<int>(count), vectors);
    }
  }
}

// A block of rows times all panels. w: segments, panels at the first k, accumulate; k: that the panels are
// packed for.
template <class T, Reading kReading>
void multiply(TileWork<T>& w, const RowBlock<T>& block, int64_t k, int64_t n, bool paired,
              const Finish<T>* finish) {
  constexpr int64_t width = Simd<T>::kWidth;
  constexpr bool kPacked = kReading == Reading::packed;
  const T* panels = w.panels;
  int64_t vectors = (n + width - 1) / width, last_tail = n - (vectors - 1) * width;
  w.panel_stride = 2 * width * k;
  if (finish && !finish->center && !finish->scale && !finish->gate) w.finish = finish, finish = nullptr;
  if constexpr (kPairsK && !kPacked)
    if (paired) {
      w.column = 0;
      w.tail = n;
      tiles_down<T, PairedTiles<T>, Reading::runs>(w, block, finish, 1);
      return;
    }
  for (int64_t v = 0; v < vectors;) {
    int64_t left = vectors - v, pairs = left % 2 == 0 ? left / 2 : left == 1 ? 0 : (left - 3) / 2;
    w.column = v * width;
    w.panels = panels + v * width * k;
    if constexpr (kPacked) {  // the same k of the next panel
      w.ahead = w.panels + (w.segments->k + k) * 2 * width;
      w.ahead_end = w.ahead + w.segments->length * 2 * width;
      w.fetched = w.segments->length / 4 * (64 / static_cast<int64_t>(sizeof(T)));
    }
    auto pass = [&](auto nv, auto np) __attribute__((always_inline)) {
      constexpr int kNv = decltype(nv)::value, kNp = decltype(np)::value;
      w.tail = v + kNv * kNp == vectors ? last_tail : width;
      tiles_down<T, Tiles<T, kNv, kNp, kReading>, kReading>(w, block, finish, kNv * kNp);
      v += kNv * kNp;
    };
    using std::integral_constant;
    constexpr auto one = integral_constant<int, 1>();
    if constexpr (kReading == Reading::runs)
      if (pairs >= 4 && block.rows == 1) {
        pass(integral_constant<int, 2>(), integral_constant<int, 4>());
        continue;
      }
    if constexpr (!kPacked) {  // rows are packed for many columns
      if (left == 1) {
        pass(one, one);
        continue;
      }
      if (pairs >= 2 && block.rows <= Tiles<T, 2, 2>::kMost) {
        pass(integral_constant<int, 2>(), integral_constant<int, 2>());
        continue;
      }
    }
    if (pairs == 0)
      pass(integral_constant<int, 3>(), one);
    else
      pass(integral_constant<int, 2>(), one);
  }
  w.panels = panels;
}

// Columns that fit into one vector, and pairs of k that do not reach over the end of a segment (of `unit` or
// multiples).
template <class T>
bool paired_panels(int64_t n, int64_t unit) {
  return kPairsK && n <= Simd<T>::kWidth && unit % 2 == 0;
}

template <class T>
int64_t product_scratch(int64_t k, int64_t n) {
  return k > kMostDepth && n >= kPackColumns ? kBlockRows * kDepth : 0;
}

// k0 .. k1 of the rows of a block, in groups.
template <class T>
void pack_rows(const RowBlock<T>& from, int64_t k0, int64_t k1, T* memory, RowPointers<T>& to) {
  int64_t depth = k1 - k0;
  for (int64_t g = 0; g < from.rows; g += kGroup) {
    int64_t rows = from.rows - g < kGroup ? from.rows - g : kGroup;
    T* d = memory + g * depth;
    for (int64_t i = 0; i < rows; ++i) to.a[g + i] = d + i;
    if (rows == kGroup) {
      const T* row[kGroup];
      for (int i = 0; i < kGroup; ++i) row[i] = from.a[g + i] + k0;
      for (int64_t k = 0; k < depth; ++k, d += kGroup) {
#pragma GCC unroll 16
        for (int i = 0; i < kGroup; ++i) d[i] = row[i][k];
      }
    } else {
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < depth; ++k) d[k * kGroup + i] = from.a[g + i][k0 + k];
    }
  }
}

template <class T>
void product(const Product<T>& p) {
  int64_t blocks = p.k > kMostDepth ? (p.k + kDepth - 1) / kDepth : 1;
  bool pack = p.scratch && product_scratch<T>(p.k, p.n) > 0 && p.rows >= kGroup,
       paired = paired_panels<T>(p.n, p.k);
  RowPointers<T> pointers, packed;
  RowBlock<T> block{pointers.a, pointers.c, 0};
  for (int64_t r = 0; r < p.rows; r += block.rows) {
    block.rows = p.rows - r < kBlockRows ? p.rows - r : kBlockRows;
    for (int64_t i = 0; i < block.rows; ++i) {
      pointers.a[i] = p.a.rows ? p.a.rows[r + i] : p.a.base + (r + i) * p.a.stride;
      pointers.c[i] = p.c + (r + i) * p.c_stride;
    }
    for (int64_t b = 0; b < blocks; ++b) {
      int64_t k0 = p.k * b / blocks / 2 * 2, k1 = b + 1 == blocks ? p.k : p.k * (b + 1) / blocks / 2 * 2;
      Segment segment{pack ? 0 : k0, k1 - k0, k0, nullptr};
      TileWork<T> w{};
      w.segments = &segment;
      w.segment_count = 1;
      w.panels = p.panels;
      w.accumulate = p.accumulate || b > 0;
      w.prefetch = p.k >= kPrefetchDepth;
      const Finish<T>* finish = b + 1 == blocks ? p.finish : nullptr;
      if (pack) {
        pack_rows(block, k0, k1, p.scratch, packed);
        multiply<T, Reading::packed>(w, RowBlock<T>{packed.a, pointers.c, block.rows}, p.k, p.n, false,
                                     finish);
      } else {
        multiply<T, Reading::runs>(w, block, p.k, p.n, paired, finish);
      }
    }
  }
}

// How many elements the panels of [k, n] take.
template <class T>
int64_t panel_elements(int64_t k, int64_t n) {
  return (n + Simd<T>::kWidth - 1) / Simd<T>::kWidth * Simd<T>::kWidth * k;
}

template <class T>
void pack_panels(const T* b, const PanelSource& from, int64_t k, int64_t n, bool paired, T* panels) {
  constexpr int64_t width = Simd<T>::kWidth;
  const int64_t column_stride = from.column_stride;
  auto row = [&](int64_t i) { return b + (from.rows ? from.rows[i] : i * from.row_stride); };
  if (paired) {
    for (int64_t i = 0; i < k; i += 2)
      for (int64_t j = 0; j < width; ++j)
        for (int64_t odd = 0; odd < 2; ++odd) *panels++ = j < n ? row(i + odd)[j * column_stride] : T(0);
    return;
  }
  int64_t vectors = (n + width - 1) / width;
  for (int64_t v = 0; v < vectors;) {
    int64_t left = vectors - v, nv = left == 1 || left == 3 ? left : 2, wide = nv * width;
    int64_t first = v * width, columns = n - first < wide ? n - first : wide;
    v += nv;
    // of a transposed matrix: what lies side by side belongs to one column
    if (!from.rows && from.row_stride == 1 && column_stride != 1) {
      turn(panels, wide, b + first * column_stride, column_stride, columns, k);
      for (int64_t i = 0; i < k; ++i)
        for (int64_t j = columns; j < wide; ++j) panels[i * wide + j] = T(0);
      panels += k * wide;
      continue;
    }
    for (int64_t i = 0; i < k; ++i, panels += wide) {
      const T* x = row(i) + first * column_stride;
      for (int64_t j = 0; j < columns; ++j) panels[j] = x[j * column_stride];
      for (int64_t j = columns; j < wide; ++j) panels[j] = T(0);
    }
  }
}

}  // namespace
}  // namespace cantik::cpu
