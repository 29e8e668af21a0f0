// Matrix products. A tile of MR rows by NP packed panels is kept in registers while k runs; products are added in the order of
// k, in fixed blocks of kBlock, so that a row's result depends on the row alone.
#pragma once

#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/table.h"

namespace cantik::cpu {
namespace {

inline constexpr int kPanelVectors = 2;   // a panel is two vectors wide
inline constexpr int64_t kBlock = 512;    // of k: what one pass over the registers adds up
#if CANTIK_VECTOR_BYTES == 64
inline constexpr int kTileRows = 12;
#else
inline constexpr int kTileRows = 6;
#endif

template <class T>
inline constexpr int kPanel = kPanelVectors * Simd<T>::kWidth;

// rows: MR pointers into A at the block's first k. panels: NP panels, panel_stride elements apart.
template <class T, int MR, int NP>
CANTIK_INLINE void tile(const T* const* rows, const T* panels, int64_t panel_stride, int64_t k, T* const* c, int64_t column, bool accumulate) {
  using S = Simd<T>;
  typename S::Vector acc[MR][NP * kPanelVectors];
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < NP * kPanelVectors; ++v) acc[i][v] = S::all(0);
  for (int64_t j = 0; j < k; ++j) {
    typename S::Vector b[NP * kPanelVectors];
#pragma GCC unroll 8
    for (int v = 0; v < NP * kPanelVectors; ++v) b[v] = S::load(panels + (v / kPanelVectors) * panel_stride + j * kPanel<T> + (v % kPanelVectors) * S::kWidth);
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
      typename S::Vector x = S::all(rows[i][j]);
#pragma GCC unroll 8
      for (int v = 0; v < NP * kPanelVectors; ++v) acc[i][v] += x * b[v];
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < NP * kPanelVectors; ++v) {
      T* p = c[i] + column + v * S::kWidth;
      S::store(p, accumulate ? S::load(p) + acc[i][v] : acc[i][v]);
    }
}

template <class T, int NP>
CANTIK_INLINE void tile_rows(int mr, const T* const* rows, const T* panels, int64_t panel_stride, int64_t k, T* const* c, int64_t column, bool accumulate) {
  switch (mr) {
#define CANTIK_CASE(m) \
  case m: if constexpr (m * NP <= kTileRows) tile<T, m, NP>(rows, panels, panel_stride, k, c, column, accumulate); break;
    CANTIK_CASE(1) CANTIK_CASE(2) CANTIK_CASE(3) CANTIK_CASE(4) CANTIK_CASE(5) CANTIK_CASE(6)
    CANTIK_CASE(7) CANTIK_CASE(8) CANTIK_CASE(9) CANTIK_CASE(10) CANTIK_CASE(11) CANTIK_CASE(12)
#undef CANTIK_CASE
    default: break;
  }
}

template <class T>
void product(const Product<T>& p) {
  constexpr int64_t width = kPanel<T>;
  int64_t whole = p.n / width, panels = (p.n + width - 1) / width;
  int64_t panel_size = width * p.k;
  T edge[kTileRows * width];  // the last panel, if the result has fewer columns, goes through here
  for (int64_t k0 = 0; k0 < p.k || k0 == 0; k0 += kBlock) {
    int64_t kb = p.k - k0 < kBlock ? p.k - k0 : kBlock;
    bool accumulate = p.accumulate || k0 > 0;
    for (int64_t r = 0; r < p.rows; r += kTileRows * 16) {  // rows that stay in the second cache while panels pass
      int64_t end = r + kTileRows * 16 < p.rows ? r + kTileRows * 16 : p.rows;
      for (int64_t j = 0; j < panels;) {
        // Few rows: several panels at once, to have enough independent sums.
        int64_t left = end - r;
        int np = left >= 6 || j + 2 > whole ? 1 : left <= (kTileRows == 12 ? 3 : 1) && j + 4 <= whole ? 4 : left <= kTileRows / 2 ? 2 : 1;
        if (np == 4 && left * 4 > kTileRows) np = 2;
        const T* b = p.panels + j * panel_size + k0 * width;
        for (int64_t i = r; i < end; i += kTileRows) {
          int mr = static_cast<int>(end - i < kTileRows ? end - i : kTileRows);
          const T* rows[kTileRows];
          T* c[kTileRows];
          for (int m = 0; m < mr; ++m) {
            rows[m] = (p.a.rows ? p.a.rows[i + m] : p.a.base + (i + m) * p.a.stride) + k0;
            c[m] = p.c + (i + m) * p.c_stride;
          }
          if (j < whole) {
            if (np == 4) tile_rows<T, 4>(mr, rows, b, panel_size, kb, c, j * width, accumulate);
            else if (np == 2) tile_rows<T, 2>(mr, rows, b, panel_size, kb, c, j * width, accumulate);
            else tile_rows<T, 1>(mr, rows, b, panel_size, kb, c, j * width, accumulate);
          } else {
            T* e[kTileRows];
            int64_t columns = p.n - j * width;
            for (int m = 0; m < mr; ++m) {
              e[m] = edge + m * width;
              if (accumulate)
                for (int64_t x = 0; x < width; ++x) e[m][x] = x < columns ? c[m][j * width + x] : T(0);
            }
            tile_rows<T, 1>(mr, rows, b, panel_size, kb, e, 0, accumulate);
            for (int m = 0; m < mr; ++m)
              for (int64_t x = 0; x < columns; ++x) c[m][j * width + x] = e[m][x];
          }
        }
        j += np;
      }
    }
    if (p.k == 0) break;
  }
}

// ---- sums over rows: both sides are packed, a chunk of rows at a time ------------------------------------------------------

inline constexpr int64_t kChunk = 256;  // rows added up in registers before they join the result

template <class T>
int64_t row_product_scratch(int64_t k) {
  return ((k + kTileRows - 1) / kTileRows * kTileRows + kPanel<T>) * kChunk;
}

template <class T>
void row_product(const RowProduct<T>& p) {
  constexpr int64_t width = kPanel<T>;
  int64_t strips = (p.k + kTileRows - 1) / kTileRows;
  T* pack_a = p.scratch;
  T* pack_b = pack_a + strips * kTileRows * kChunk;
  if (p.rows == 0 && !p.accumulate)
    for (int64_t i = 0; i < p.k; ++i)
      for (int64_t j = 0; j < p.n; ++j) p.c[i * p.c_stride + j] = T(0);
  for (int64_t r0 = 0; r0 < p.rows; r0 += kChunk) {
    int64_t rows = p.rows - r0 < kChunk ? p.rows - r0 : kChunk;
    bool accumulate = p.accumulate || r0 > 0;
    // A: strips of kTileRows columns, row after row.
    for (int64_t s = 0; s < strips; ++s) {
      int64_t columns = p.k - s * kTileRows < kTileRows ? p.k - s * kTileRows : kTileRows;
      T* d = pack_a + s * kTileRows * kChunk;
      const T* x = p.a + r0 * p.a_stride + s * kTileRows;
      for (int64_t r = 0; r < rows; ++r, d += kTileRows, x += p.a_stride)
        for (int64_t i = 0; i < kTileRows; ++i) d[i] = i < columns ? x[i] : T(0);
    }
    for (int64_t j = 0; j < p.n; j += width) {
      int64_t columns = p.n - j < width ? p.n - j : width;
      const T* x = p.b + r0 * p.b_stride + j;
      for (int64_t r = 0; r < rows; ++r, x += p.b_stride)
        for (int64_t i = 0; i < width; ++i) pack_b[r * width + i] = i < columns ? x[i] : T(0);
      for (int64_t s = 0; s < strips; ++s) {
        using S = Simd<T>;
        typename S::Vector acc[kTileRows][kPanelVectors];
        for (auto& row : acc)
          for (auto& v : row) v = S::all(0);
        const T* a = pack_a + s * kTileRows * kChunk;
        const T* b = pack_b;
        for (int64_t r = 0; r < rows; ++r, a += kTileRows, b += width) {
          typename S::Vector b0 = S::load(b), b1 = S::load(b + S::kWidth);
#pragma GCC unroll 16
          for (int i = 0; i < kTileRows; ++i) {
            typename S::Vector y = S::all(a[i]);
            acc[i][0] += y * b0;
            acc[i][1] += y * b1;
          }
        }
        for (int i = 0; i < kTileRows && s * kTileRows + i < p.k; ++i) {
          T out[width];
          for (int v = 0; v < kPanelVectors; ++v) S::store(out + v * S::kWidth, acc[i][v]);
          T* c = p.c + (s * kTileRows + i) * p.c_stride + j;
          for (int64_t x = 0; x < columns; ++x) c[x] = accumulate ? c[x] + out[x] : out[x];
        }
      }
    }
  }
}

}  // namespace
}  // namespace cantik::cpu
