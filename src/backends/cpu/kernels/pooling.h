// Pooling's inner loops over channels-last images: a pixel's taps are vectors of channels.
#pragma once

#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/table.h"

namespace cantik::cpu {
namespace {

// f(v, lanes) for vectors of the channels; the last one may have fewer lanes.
template <class T, class F>
CANTIK_INLINE void each_vector(int64_t channels, F&& f) {
  constexpr int64_t width = Simd<T>::kWidth;
  int64_t c = 0;
  for (; c + width <= channels; c += width)
    f([](const T* p) __attribute__((always_inline)) { return Simd<T>::load(p); }, [](T* p, typename Simd<T>::Vector v) __attribute__((always_inline)) { Simd<T>::store(p, v); }, c);
  if (int64_t rest = channels - c)
    f([rest](const T* p) __attribute__((always_inline)) { return Simd<T>::load_some(p, rest); },
      [rest](T* p, typename Simd<T>::Vector v) __attribute__((always_inline)) { Simd<T>::store_some(p, v, rest); }, c);
}

// The largest of the taps and the number of the tap it stands at; of equal ones the first.
template <class T>
void pool_max(const PixelPool<T>& p) {
  using Vector = typename Simd<T>::Vector;
  for (int64_t i = 0; i < p.pixels; ++i) {
    const T* x = p.x[i];
    each_vector<T>(p.channels, [&](auto load, auto store, int64_t c) __attribute__((always_inline)) {
      Vector best = Simd<T>::all(-__builtin_inff()), place = Simd<T>::all(static_cast<T>(p.count ? p.taps[0].number : 0));
      for (int64_t t = 0; t < p.count; ++t) {
        Vector v = load(x + p.taps[t].offset + c), number = Simd<T>::all(static_cast<T>(p.taps[t].number));
        auto larger = v > best;
        best = larger ? v : best;
        place = larger ? number : place;
      }
      store(p.y[i] + c, best);
      if (p.places) store(p.places[i] + c, place);
    });
  }
}

template <class T>
void pool_average(const PixelPool<T>& p) {
  using Vector = typename Simd<T>::Vector;
  Vector count = Simd<T>::all(static_cast<T>(p.divisor));
  for (int64_t i = 0; i < p.pixels; ++i) {
    const T* x = p.x[i];
    each_vector<T>(p.channels, [&](auto load, auto store, int64_t c) __attribute__((always_inline)) {
      Vector sum = Simd<T>::all(0);
      for (int64_t t = 0; t < p.count; ++t) sum += load(x + p.taps[t].offset + c);
      store(p.y[i] + c, sum / count);
    });
  }
}

// The adjoint of pool_max: a pixel of the operand takes what the windows over it got, where it was the largest.
template <class T>
void pool_max_back(const PixelPool<T>& p) {
  using Vector = typename Simd<T>::Vector;
  for (int64_t i = 0; i < p.pixels; ++i) {
    const T *dy = p.x[i], *places = p.from[i];
    each_vector<T>(p.channels, [&](auto load, auto store, int64_t c) __attribute__((always_inline)) {
      Vector sum = Simd<T>::all(0);
      for (int64_t t = 0; t < p.count; ++t) {
        Vector d = load(dy + p.taps[t].offset + c), place = load(places + p.taps[t].offset + c);
        sum += place == Simd<T>::all(static_cast<T>(p.taps[t].number)) ? d : Simd<T>::all(0);
      }
      store(p.y[i] + c, sum);
    });
  }
}

// The adjoint of pool_average; shares[i] is the first window's share for each element of it, shares of others follow as pixels do.
template <class T>
void pool_average_back(const PixelPool<T>& p) {
  using Vector = typename Simd<T>::Vector;
  for (int64_t i = 0; i < p.pixels; ++i) {
    const T *dy = p.x[i], *shares = p.from[i];
    each_vector<T>(p.channels, [&](auto load, auto store, int64_t c) __attribute__((always_inline)) {
      Vector sum = Simd<T>::all(0);
      for (int64_t t = 0; t < p.count; ++t) sum += load(dy + p.taps[t].offset + c) * Simd<T>::all(shares[p.taps[t].pixel]);
      store(p.y[i] + c, sum);
    });
  }
}

// Unpooling: a pixel takes what the last window put there, or 0.
template <class T>
void unpool(const PixelPool<T>& p) {
  using Vector = typename Simd<T>::Vector;
  for (int64_t i = 0; i < p.pixels; ++i) {
    const T *x = p.x[i], *places = p.from[i];
    each_vector<T>(p.channels, [&](auto load, auto store, int64_t c) __attribute__((always_inline)) {
      Vector y = Simd<T>::all(0);
      for (int64_t t = 0; t < p.count; ++t) {
        Vector place = load(places + p.taps[t].offset + c);
        y = place == Simd<T>::all(static_cast<T>(p.taps[t].number)) ? load(x + p.taps[t].offset + c) : y;
      }
      store(p.y[i] + c, y);
    });
  }
}

// Its adjoint, where windows do not overlap: a window takes what lies at its place.
template <class T>
void pool_pick(const PixelPool<T>& p) {
  using Vector = typename Simd<T>::Vector;
  for (int64_t i = 0; i < p.pixels; ++i) {
    const T *dy = p.x[i], *places = p.from[i];
    each_vector<T>(p.channels, [&](auto load, auto store, int64_t c) __attribute__((always_inline)) {
      Vector y = Simd<T>::all(0), place = load(places + c);
      for (int64_t t = 0; t < p.count; ++t) y = place == Simd<T>::all(static_cast<T>(p.taps[t].number)) ? load(dy + p.taps[t].offset + c) : y;
      store(p.y[i] + c, y);
    });
  }
}

// d[c][r] = x[r][c]
template <class T>
void transpose(T* d, const T* x, int64_t rows, int64_t columns) {
  constexpr int64_t kBlock = 16;
  for (int64_t r = 0; r < rows; r += kBlock)
    for (int64_t c = 0; c < columns; c += kBlock) {
      int64_t r1 = r + kBlock < rows ? r + kBlock : rows, c1 = c + kBlock < columns ? c + kBlock : columns;
      for (int64_t j = c; j < c1; ++j)
        for (int64_t i = r; i < r1; ++i) d[j * rows + i] = x[i * columns + j];
    }
}

}  // namespace
}  // namespace cantik::cpu
