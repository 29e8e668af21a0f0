// Convolutions of each channel by itself: vectors run over channels, a few pixels stand in registers. See
// convolution_plan.h for what lies where. A result is a chain of multiply-adds in the order of the taps,
// whatever tile it falls into.
#pragma once

#include "backends/cpu/kernels/product_tile.h"

namespace cantik::cpu {
namespace {

// How the operand's channels belong to those of the result.
// one for each; two filters of one channel; back from two filters to one channel
enum class Lanes { one, doubled, halved };

template <class T>
struct DepthwiseWork {
  const T* const* a;
  T* const* c;
  const Segment* segments;
  int64_t segment_count;
  const T* weights;
  // of the operand: channels, the first of these vectors' channels, lanes of the last vector
  int64_t n, column, tail;
};

template <class T>
using DepthwiseTile = void (*)(const DepthwiseWork<T>&);

template <class T>
CANTIK_INLINE void store_lanes(T* p, typename Simd<T>::Vector y, int64_t lanes) {
  if (lanes >= Simd<T>::kWidth)
    Simd<T>::store(p, y);
  else if (lanes > 0)
    Simd<T>::store_some(p, y, lanes);
}

// MR pixels by NV vectors of the operand's channels. Lanes are put in order behind the sums: two filters of a
// channel have a vector each and are shuffled together at last; on the way back each filter has its own sum,
// and those of a channel are added at last.
template <class T, Lanes kLanes, int MR, int NV, bool kSome>
void depthwise_tile(const DepthwiseWork<T>& w) {
  using S = Simd<T>;
  using Vector = typename S::Vector;
  constexpr int64_t width = S::kWidth;
  constexpr bool kDoubled = kLanes == Lanes::doubled;
  constexpr int kSums = kDoubled ? 2 : NV;
  static_assert(!kDoubled || NV == 1);
  Vector acc[MR][kSums];
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < kSums; ++v) acc[i][v] = Vector{};
  const int64_t column = w.column, tail = w.tail, n = w.n;
  const T* a[MR];
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i) a[i] = w.a[i] + column;
  const T* weights = w.weights + column;
  auto load = [&](const T* p, bool last) __attribute__((always_inline)) {
    return kSome && last ? S::load_some(p, tail) : S::load(p);
  };
  for (const Segment *s = w.segments, *end = s + w.segment_count; s < end; ++s) {
    const T* b = weights + s->k * (kDoubled ? 2 * n : n);
    const int64_t offset = s->offset;
    Vector y[kSums];
#pragma GCC unroll 8
    for (int v = 0; v < kSums; ++v)
      y[v] = load(b + (kDoubled ? v * n : v * width), kDoubled || v + 1 == NV), S::keep(y[v]);
#pragma GCC unroll 32
    for (int i = 0; i < MR; ++i) {
      if constexpr (kDoubled) {
        Vector x = load(a[i] + offset, true);
        S::add_product(acc[i][0], x, y[0]);
        S::add_product(acc[i][1], x, y[1]);
      } else {
#pragma GCC unroll 8
        for (int v = 0; v < NV; ++v)
          S::add_product(acc[i][v], load(a[i] + offset + v * width, v + 1 == NV), y[v]);
      }
    }
  }
  const int64_t lanes = (NV - 1) * width + (kSome ? tail : width);
  T* const* c = w.c;
#pragma GCC unroll 32
  for (int i = 0; i < MR; ++i) {
    if constexpr (kDoubled) {
      T* p = c[i] + 2 * column;
      store_lanes(p, S::zip_low(acc[i][0], acc[i][1]), 2 * lanes);
      store_lanes(p + width, S::zip_high(acc[i][0], acc[i][1]), 2 * lanes - width);
    } else if constexpr (kLanes == Lanes::halved) {
      Vector high = Vector{};
      if constexpr (NV == 2) high = acc[i][1];
      store_lanes(c[i] + column / 2, S::evens(acc[i][0], high) + S::odds(acc[i][0], high), lanes / 2);
    } else {
#pragma GCC unroll 8
      for (int v = 0; v < NV; ++v) store_lanes(c[i] + column + v * width, acc[i][v], lanes - v * width);
    }
  }
}

// By the number of pixels.
template <class T, Lanes kLanes, int NV, bool kSome>
struct DepthwiseTiles {
  static constexpr int kMost = NV == 1 && kLanes != Lanes::doubled ? 8 : 6;
  static CANTIK_INLINE DepthwiseTile<T> of(int64_t pixels) {
    return list(std::make_integer_sequence<int, kMost>(), pixels);
  }

 private:
  template <int... I>
  static CANTIK_INLINE DepthwiseTile<T> list(std::integer_sequence<int, I...>, int64_t pixels) {
    static constexpr DepthwiseTile<T> tiles[] = {depthwise_tile<T, kLanes, I + 1, NV, kSome>...};
    return tiles[pixels - 1];
  }
};

template <class T, Lanes kLanes, int NV>
CANTIK_INLINE void depthwise_pixels(DepthwiseWork<T>& w, const PixelDepthwise<T>& p) {
  constexpr int64_t most = DepthwiseTiles<T, kLanes, NV, false>::kMost;
  int64_t tiles = (p.pixels + most - 1) / most;
  for (int64_t t = 0; t < tiles; ++t) {
    int64_t first = p.pixels * t / tiles, rows = p.pixels * (t + 1) / tiles - first;
    w.a = p.a + first;
    w.c = p.c + first;
    (w.tail < Simd<T>::kWidth ? DepthwiseTiles<T, kLanes, NV, true>::of(rows)
                              : DepthwiseTiles<T, kLanes, NV, false>::of(rows))(w);
  }
}

template <class T>
void finish_depthwise(const PixelDepthwise<T>& p, int64_t column, int64_t lanes) {
  using S = Simd<T>;
  using Vector = typename S::Vector;
  const Finish<T>& f = *p.finish;
  for (int64_t end = column + lanes; column < end; column += S::kWidth) {
    int64_t here = end - column < S::kWidth ? end - column : S::kWidth;
    auto get = [&](const T* q) __attribute__((always_inline)) {
      return here == S::kWidth ? S::load(q) : S::load_some(q, here);
    };
    Vector center = f.center ? get(f.center + column) : S::all(0),
           scale = f.scale ? get(f.scale + column) : S::all(1),
           shift = f.shift ? get(f.shift + column) : S::all(0);
    for (int64_t i = 0; i < p.pixels; ++i) {
      T* q = p.c[i] + column;
      Vector y = get(q);
      if (f.center) y = y - center;
      if (f.scale) y = y * scale, S::keep(y);
      if (f.shift) y = y + shift;
      y = elementwise_finish(f, y, get, q);
      if (here == S::kWidth)
        S::store(q, y);
      else
        S::store_some(q, y, here);
    }
  }
}

template <class T, Lanes kLanes>
void depthwise_columns(const PixelDepthwise<T>& p) {
  constexpr int64_t width = Simd<T>::kWidth;
  int64_t vectors = (p.n + width - 1) / width;
  DepthwiseWork<T> w{};
  w.segments = p.segments;
  w.segment_count = p.segment_count;
  w.weights = p.weights;
  w.n = p.n;
  for (int64_t v = 0; v < vectors;) {
    int64_t nv = kLanes == Lanes::doubled || vectors - v == 1 ? 1 : 2;
    w.column = v * width;
    w.tail = v + nv == vectors ? p.n - (vectors - 1) * width : width;
    if constexpr (kLanes == Lanes::doubled)
      depthwise_pixels<T, kLanes, 1>(w, p);
    else if (nv == 1)
      depthwise_pixels<T, kLanes, 1>(w, p);
    else
      depthwise_pixels<T, kLanes, 2>(w, p);
    if (p.finish) {  // while the results are in cache
      int64_t lanes = (nv - 1) * width + w.tail;
      if (kLanes == Lanes::one)
        finish_depthwise(p, w.column, lanes);
      else if (kLanes == Lanes::doubled)
        finish_depthwise(p, 2 * w.column, 2 * lanes);
      else
        finish_depthwise(p, w.column / 2, lanes / 2);
    }
    v += nv;
  }
}

template <class T>
void pixel_depthwise(const PixelDepthwise<T>& p) {
  if (p.filters == 1)
    depthwise_columns<T, Lanes::one>(p);
  else if (p.adjoint)
    depthwise_columns<T, Lanes::halved>(p);
  else
    depthwise_columns<T, Lanes::doubled>(p);
}

// ---- the gradient of the map: sums[tap][filter] += sum over pixels of x[tap, channel] * dy[filter]

template <class T>
struct DepthwiseSumWork {
  const T* const* x;
  const T* const* dy;
  int64_t pixels;
  const Segment* segments;
  T* sums;
  int64_t n, column, tail;
};

template <class T>
using DepthwiseSum = void (*)(const DepthwiseSumWork<T>&);

template <class T, bool kSome>
CANTIK_INLINE typename Simd<T>::Vector some_lanes(const T* p, int64_t lanes) {
  return kSome ? Simd<T>::load_some(p, lanes) : Simd<T>::load(p);
}

// Each channel in two lanes; lanes: how many there are.
template <class T, bool kSome>
CANTIK_INLINE typename Simd<T>::Vector twice(const T* p, int64_t lanes) {
  return Simd<T>::twice(Simd<T>::load_some(p, kSome ? (lanes + 1) / 2 : Simd<T>::kWidth / 2));
}

// MT taps of one vector of filters.
template <class T, bool kDoubled, int MT, bool kSome>
void depthwise_sum(const DepthwiseSumWork<T>& w) {
  using S = Simd<T>;
  using Vector = typename S::Vector;
  Vector acc[MT];
  int64_t offset[MT];
  const int64_t tail = w.tail, column = w.column, from = kDoubled ? column / 2 : column;
#pragma GCC unroll 32
  for (int t = 0; t < MT; ++t) acc[t] = Vector{}, offset[t] = w.segments[t].offset + from;
  for (int64_t i = 0; i < w.pixels; ++i) {
    Vector dy = some_lanes<T, kSome>(w.dy[i] + column, tail);
    S::keep(dy);
    const T* x = w.x[i];
#pragma GCC unroll 32
    for (int t = 0; t < MT; ++t)
      acc[t] +=
          (kDoubled ? twice<T, kSome>(x + offset[t], tail) : some_lanes<T, kSome>(x + offset[t], tail)) * dy;
  }
#pragma GCC unroll 32
  for (int t = 0; t < MT; ++t) {
    T* p = w.sums + w.segments[t].k * w.n + column;
    if (kSome)
      S::store_some(p, S::load_some(p, tail) + acc[t], tail);
    else
      S::store(p, S::load(p) + acc[t]);
  }
}

template <class T, bool kDoubled, bool kSome>
struct DepthwiseSums {
  static constexpr int kMost = 9;  // the taps of 3 by 3
  static CANTIK_INLINE DepthwiseSum<T> of(int64_t taps) {
    return list(std::make_integer_sequence<int, kMost>(), taps);
  }

 private:
  template <int... I>
  static CANTIK_INLINE DepthwiseSum<T> list(std::integer_sequence<int, I...>, int64_t taps) {
    static constexpr DepthwiseSum<T> sums[] = {depthwise_sum<T, kDoubled, I + 1, kSome>...};
    return sums[taps - 1];
  }
};

template <class T, bool kDoubled>
void depthwise_sum_columns(const PixelDepthwiseSums<T>& p) {
  constexpr int64_t width = Simd<T>::kWidth, most = DepthwiseSums<T, kDoubled, false>::kMost;
  DepthwiseSumWork<T> w{p.x, p.dy, p.pixels, nullptr, p.sums, p.n, 0, 0};
  int64_t blocks = (p.segment_count + most - 1) / most;
  for (w.column = p.begin; w.column < p.end; w.column += width) {
    w.tail = p.end - w.column < width ? p.end - w.column : width;
    for (int64_t b = 0; b < blocks; ++b) {
      int64_t first = p.segment_count * b / blocks, taps = p.segment_count * (b + 1) / blocks - first;
      w.segments = p.segments + first;
      (w.tail < width ? DepthwiseSums<T, kDoubled, true>::of(taps)
                      : DepthwiseSums<T, kDoubled, false>::of(taps))(w);
    }
  }
}

template <class T>
void pixel_depthwise_sums(const PixelDepthwiseSums<T>& p) {
  if (p.filters == 1)
    depthwise_sum_columns<T, false>(p);
  else
    depthwise_sum_columns<T, true>(p);
}

}  // namespace
}  // namespace cantik::cpu
