// Convolutions' inner loops: products whose rows are pixels, and their transposes for the gradients of
// kernels. What lies where is decided outside; see convolution_plan.h.
#pragma once

#include "backends/cpu/kernels/product.h"
#include "backends/cpu/kernels/row_product.h"

namespace cantik::cpu {
namespace {

template <class T>
void pixel_product(const PixelProduct<T>& p) {
  TileWork<T> w{};
  w.segments = p.segments;
  w.segment_count = p.segment_count;
  w.panels = p.panels;
  RowBlock<T> block{p.a, p.c, p.pixels};
  if (p.scattered)
    multiply<T, Reading::scattered>(w, block, p.k, p.n, p.paired, p.finish);
  else
    multiply<T, Reading::runs>(w, block, p.k, p.n, p.paired, p.finish);
}

template <class T>
struct PixelTileWork {
  const T* const* left;
  const T* const* right;
  int64_t left_offset, right_offset;
  int64_t pixels;
  T* c;
  int64_t c_stride, tail;
};

template <class T>
using PixelTile = void (*)(const PixelTileWork<T>&);

// C[i][v] += sum over pixels of left[i] * right[v]: MR of one side, broadcast, by NV vectors of the other.
template <class T, int MR, int NV, bool kSome>
void pixel_tile(const PixelTileWork<T>& w) {
  using S = Simd<T>;
  typename S::Vector acc[MR][NV];
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) acc[i][v] = typename S::Vector{};
  const int64_t tail = w.tail, left_offset = w.left_offset, right_offset = w.right_offset;
  const T *const *left = w.left, *const *right = w.right;
  auto step = [&](int64_t r) __attribute__((always_inline)) {
    const T *a = left[r] + left_offset, *b = right[r] + right_offset;
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
  };
  int64_t r = 0;
  for (; r + 2 <= w.pixels; r += 2) step(r), step(r + 1);
  if (r < w.pixels) step(r);
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < NV; ++v) {
      T* p = w.c + i * w.c_stride + v * S::kWidth;
      if (kSome && v + 1 == NV)
        S::store_tail(p, S::load_tail(p, tail) + acc[i][v], tail);
      else
        S::store(p, S::load(p) + acc[i][v]);
    }
}

template <class T, int NV, bool kSome>
struct PixelTiles {
  static constexpr int kMost = NV == 1 ? kMostSingle : kMostSums / NV;
  static CANTIK_INLINE PixelTile<T> of(int64_t rows) {
    return list(std::make_integer_sequence<int, kMost>(), rows);
  }

 private:
  template <int... I>
  static CANTIK_INLINE PixelTile<T> list(std::integer_sequence<int, I...>, int64_t rows) {
    static constexpr PixelTile<T> tiles[] = {pixel_tile<T, I + 1, NV, kSome>...};
    return tiles[rows - 1];
  }
};

template <class T, int NV>
CANTIK_INLINE void pixel_tiles_down(PixelTileWork<T>& w, const PixelOuter<T>& p) {
  constexpr int64_t most = PixelTiles<T, NV, false>::kMost;
  int64_t tiles = (p.left_count + most - 1) / most;
  for (int64_t t = 0; t < tiles; ++t) {
    int64_t first = p.left_count * t / tiles, rows = p.left_count * (t + 1) / tiles - first;
    w.left_offset = p.left_offset + first;
    w.c = p.c + first * p.c_stride + (w.right_offset - p.right_offset);
    (w.tail < Simd<T>::kWidth ? PixelTiles<T, NV, true>::of(rows) : PixelTiles<T, NV, false>::of(rows))(w);
  }
}

template <class T>
void pixel_outer(const PixelOuter<T>& p) {
  constexpr int64_t width = Simd<T>::kWidth;
  int64_t vectors = (p.right_count + width - 1) / width;
  PixelTileWork<T> w{};
  w.left = p.left;
  w.right = p.right;
  w.pixels = p.pixels;
  w.c_stride = p.c_stride;
  for (int64_t v = 0; v < vectors;) {
    int64_t left = vectors - v, nv = left == 1 || left == 3 ? left : 2;
    w.right_offset = p.right_offset + v * width;
    w.tail = v + nv == vectors ? p.right_count - (vectors - 1) * width : width;
    if (nv == 1)
      pixel_tiles_down<T, 1>(w, p);
    else if (nv == 2)
      pixel_tiles_down<T, 2>(w, p);
    else
      pixel_tiles_down<T, 3>(w, p);
    v += nv;
  }
}

}  // namespace
}  // namespace cantik::cpu
