// Pooling's inner loops over channels-last images: a pixel's taps are vectors of channels.
#pragma once

#include "backends/cpu/kernels/finish.h"
#include "backends/cpu/kernels/turn.h"
#include "backends/cpu/table.h"

namespace cantik::cpu {
namespace {

// A few vectors of channels of one pixel; of the last one perhaps only some lanes.
template <class T, int NV, bool kSome>
struct Channels {
  using S = Simd<T>;
  using Vector = typename S::Vector;
  int64_t first, lanes;
  CANTIK_INLINE Vector load(const T* p, int v) const {
    return kSome ? S::load_some(p + first, lanes) : S::load(p + first + v * S::kWidth);
  }
  CANTIK_INLINE void store(T* p, int v, Vector x) const {
    if constexpr (kSome)
      S::store_some(p + first, x, lanes);
    else
      S::store(p + first + v * S::kWidth, x);
  }
  // With what follows the pooling.
  CANTIK_INLINE void finish(const PixelPool<T>& p, T* y, int v, Vector x) const {
    if (p.finish)
      x = finished(
          *p.finish, x, [&](const T* from) __attribute__((always_inline)) { return load(from, v); }, y);
    store(y, v, x);
  }
};

// Calls Pool::run(p, x, second, y, places, channels) for all vectors of all pixels.
template <class T, class Pool>
CANTIK_INLINE void each_pixel(const PixelPool<T>& p) {
  constexpr int64_t width = Simd<T>::kWidth;
  const T *x = p.x, *second = p.second;
  T *y = p.y, *places = p.places;
  for (int64_t i = 0; i < p.pixels; ++i) {
    int64_t c = 0;
    for (; c + 2 * width <= p.channels; c += 2 * width)
      Pool::run(p, x, second, y, places, Channels<T, 2, false>{c, width});
    if (c + width <= p.channels)
      Pool::run(p, x, second, y, places, Channels<T, 1, false>{c, width}), c += width;
    if (c < p.channels) Pool::run(p, x, second, y, places, Channels<T, 1, true>{c, p.channels - c});
    x += p.x_step;
    second += p.second_step;
    y += p.y_step;
    places += places ? p.y_step : 0;
  }
}

// The largest of the taps and the number of the tap it stands at; of equal ones the first.
template <class T>
struct MaxPool {
  template <int NV, bool kSome>
  static CANTIK_INLINE void run(const PixelPool<T>& p, const T* x, const T*, T* y, T* places,
                                Channels<T, NV, kSome> c) {
    typename Simd<T>::Vector best[NV], place[NV];
    for (int v = 0; v < NV; ++v)
      best[v] = Simd<T>::all(-__builtin_inff()),
      place[v] = Simd<T>::all(static_cast<T>(p.count ? p.taps[0].number : 0));
    if (places) {
      for (int64_t t = 0; t < p.count; ++t) {
        auto number = Simd<T>::all(static_cast<T>(p.taps[t].number));
#pragma GCC unroll 4
        for (int v = 0; v < NV; ++v) {
          auto value = c.load(x + p.taps[t].offset, v);
          auto larger = value > best[v];
          best[v] = larger ? value : best[v];
          place[v] = larger ? number : place[v];
        }
      }
      for (int v = 0; v < NV; ++v) c.store(places, v, place[v]);
    } else {
      for (int64_t t = 0; t < p.count; ++t)
#pragma GCC unroll 4
        for (int v = 0; v < NV; ++v) {
          auto value = c.load(x + p.taps[t].offset, v);
          best[v] = value > best[v] ? value : best[v];
        }
    }
    for (int v = 0; v < NV; ++v) c.finish(p, y, v, best[v]);
  }
};
template <class T>
void pool_max(const PixelPool<T>& p) {
  each_pixel<T, MaxPool<T>>(p);
}

template <class T>
struct AveragePool {
  template <int NV, bool kSome>
  static CANTIK_INLINE void run(const PixelPool<T>& p, const T* x, const T*, T* y, T*,
                                Channels<T, NV, kSome> c) {
    typename Simd<T>::Vector sum[NV] = {}, count = Simd<T>::all(static_cast<T>(p.divisor));
    constexpr int64_t kBlock = 1024;  // large windows block by block, or the last numbers were lost
    for (int64_t begin = 0; begin < p.count; begin += kBlock) {
      typename Simd<T>::Vector part[NV] = {};
      const int64_t end = p.count - begin < kBlock ? p.count : begin + kBlock;
      for (int64_t t = begin; t < end; ++t)
#pragma GCC unroll 4
        for (int v = 0; v < NV; ++v) part[v] += c.load(x + p.taps[t].offset, v);
      for (int v = 0; v < NV; ++v) sum[v] += part[v];
    }
    for (int v = 0; v < NV; ++v) c.finish(p, y, v, sum[v] / count);
  }
};
template <class T>
void pool_average(const PixelPool<T>& p) {
  each_pixel<T, AveragePool<T>>(p);
}

// The adjoint of pool_max: a pixel of the operand takes what the windows over it got, where it was the
// largest.
template <class T>
struct MaxPoolBack {
  template <int NV, bool kSome>
  static CANTIK_INLINE void run(const PixelPool<T>& p, const T* dy, const T* places, T* dx, T*,
                                Channels<T, NV, kSome> c) {
    typename Simd<T>::Vector sum[NV] = {};
    for (int64_t t = 0; t < p.count; ++t) {
      auto number = Simd<T>::all(static_cast<T>(p.taps[t].number));
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v)
        sum[v] += c.load(places + p.taps[t].offset, v) == number ? c.load(dy + p.taps[t].offset, v)
                                                                 : Simd<T>::all(0);
    }
    for (int v = 0; v < NV; ++v) c.finish(p, dx, v, sum[v]);
  }
};
template <class T>
void pool_max_back(const PixelPool<T>& p) {
  each_pixel<T, MaxPoolBack<T>>(p);
}

// The adjoint of pool_average; second: what one element of each window has of its average, a number for each
// pixel.
template <class T>
struct AveragePoolBack {
  template <int NV, bool kSome>
  static CANTIK_INLINE void run(const PixelPool<T>& p, const T* dy, const T* shares, T* dx, T*,
                                Channels<T, NV, kSome> c) {
    typename Simd<T>::Vector sum[NV] = {};
    for (int64_t t = 0; t < p.count; ++t) {
      auto share = Simd<T>::all(shares[p.taps[t].pixel]);
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) sum[v] += c.load(dy + p.taps[t].offset, v) * share;
    }
    for (int v = 0; v < NV; ++v) c.finish(p, dx, v, sum[v]);
  }
};
template <class T>
void pool_average_back(const PixelPool<T>& p) {
  each_pixel<T, AveragePoolBack<T>>(p);
}

// Unpooling: a pixel takes what the last window put there, or 0.
template <class T>
struct Unpool {
  template <int NV, bool kSome>
  static CANTIK_INLINE void run(const PixelPool<T>& p, const T* x, const T* places, T* y, T*,
                                Channels<T, NV, kSome> c) {
    for (int v = 0; v < NV; ++v) {
      typename Simd<T>::Vector value = Simd<T>::all(0);
      for (int64_t t = 0; t < p.count; ++t)
        value = c.load(places + p.taps[t].offset, v) == Simd<T>::all(static_cast<T>(p.taps[t].number))
                    ? c.load(x + p.taps[t].offset, v)
                    : value;
      c.finish(p, y, v, value);
    }
  }
};
template <class T>
void unpool(const PixelPool<T>& p) {
  each_pixel<T, Unpool<T>>(p);
}

// Its gradient: a window takes what lies at its place. Of overlapping windows that share a place each takes
// it.
template <class T>
struct PoolPick {
  template <int NV, bool kSome>
  static CANTIK_INLINE void run(const PixelPool<T>& p, const T* dy, const T* places, T* dx, T*,
                                Channels<T, NV, kSome> c) {
    for (int v = 0; v < NV; ++v) {
      typename Simd<T>::Vector value = Simd<T>::all(0), place = c.load(places, v);
      for (int64_t t = 0; t < p.count; ++t)
        value = place == Simd<T>::all(static_cast<T>(p.taps[t].number)) ? c.load(dy + p.taps[t].offset, v)
                                                                        : value;
      c.finish(p, dx, v, value);
    }
  }
};
template <class T>
void pool_pick(const PixelPool<T>& p) {
  each_pixel<T, PoolPick<T>>(p);
}

// d[c][r] = x[r][c]
template <class T>
void transpose(T* d, const T* x, int64_t rows, int64_t columns) {
  turn(d, rows, x, columns, rows, columns);
}

}  // namespace
}  // namespace cantik::cpu
