// Loops over bits on every instruction set: signs, windows and counts against plain loops.
#include <gtest/gtest.h>

#include "backends/cpu/bit_table.h"
#include "cpu_helpers.h"

using namespace cantik;
using namespace cantik::support;

namespace {

template <class F>
void on_all_bit_levels(F&& f) {
  int count = 0;
  const cpu::BitTable* const* tables = cpu::bit_tables(&count);
  ASSERT_GE(count, 1);
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE(tables[i]->name);
    f(*tables[i]);
  }
}

template <class T>
const cpu::BitKernels<T>& bits_of(const cpu::BitTable& t);
template <>
const cpu::BitKernels<float>& bits_of<float>(const cpu::BitTable& t) {
  return t.f32;
}
template <>
const cpu::BitKernels<double>& bits_of<double>(const cpu::BitTable& t) {
  return t.f64;
}

// Numbers of both signs, with zeros of both signs among them.
template <class T>
std::vector<T> with_zeros(int64_t n, unsigned seed) {
  std::vector<T> x = noise<T>(n, seed);
  for (size_t i = 0; i < x.size(); i += 5) x[i] = i % 2 ? T(0) : -T(0);
  return x;
}

template <class T>
std::vector<uint32_t> parities(const T* x, int64_t stride, int64_t n) {
  std::vector<uint32_t> words(static_cast<size_t>((n + 31) / 32));
  for (int64_t i = 0; i < n; ++i)
    words[static_cast<size_t>(i / 32)] |= uint32_t{x[i * stride] > 0} << (i % 32);
  for (size_t i = 1; i < words.size(); ++i) words[i] ^= words[i - 1];
  return words;
}

template <class T>
void signs_are_packed(const cpu::BitTable& t) {
  for (int64_t n : {1, 3, 16, 31, 32, 33, 47, 64, 100, 256, 259}) {
    std::vector<T> x = with_zeros<T>(n, 1);
    std::vector<uint32_t> got(static_cast<size_t>((n + 31) / 32) + 1, 77);
    bits_of<T>(t).signs(got.data(), x.data(), n);
    EXPECT_EQ(77u, got.back());
    got.pop_back();
    EXPECT_EQ(parities(x.data(), 1, n), got) << n;
    for (int64_t pixels : {1, 5, 16, 23}) {
      std::vector<T> image = with_zeros<T>(n * pixels, 2);
      size_t words = got.size(), stride = words + 2;
      std::vector<uint32_t> apart(stride * static_cast<size_t>(pixels), 77);
      bits_of<T>(t).signs_apart(apart.data(), static_cast<int64_t>(stride), image.data(), pixels, n, pixels);
      for (size_t p = 0; p < static_cast<size_t>(pixels); ++p) {
        std::vector<uint32_t> one(apart.begin() + static_cast<std::ptrdiff_t>(p * stride),
                                  apart.begin() + static_cast<std::ptrdiff_t>(p * stride + words));
        EXPECT_EQ(parities(image.data() + p, pixels, n), one)
            << n << " channels, pixel " << p << " of " << pixels;
        EXPECT_EQ(77u, apart[p * stride + words]);
      }
    }
  }
}

TEST(Bits, signs_are_packed_and_zero_is_below) {
  on_all_bit_levels([](const cpu::BitTable& t) {
    signs_are_packed<float>(t);
    signs_are_packed<double>(t);
  });
}

std::vector<uint32_t> words(int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> w(static_cast<size_t>(n));
  for (uint32_t& x : w) x = random();
  return w;
}

TEST(Bits, windows_are_the_parities_of_their_taps) {
  on_all_bit_levels([](const cpu::BitTable& t) {
    for (int64_t n : {1, 2, 3, 8, 15, 16, 19, 40}) {
      std::vector<uint32_t> a = words(2 * n, 3), b = words(2 * n, 4);
      const uint32_t* taps[] = {a.data(), nullptr, b.data()};
      int64_t padded = (3 * n + 3) / 4 * 4;
      std::vector<uint32_t> got(static_cast<size_t>(padded) + 1, 77);
      t.window(got.data(), taps, n, 3, n, padded);
      // What the taps' words are before they are parities.
      std::vector<uint32_t> x;
      for (const uint32_t* tap : taps)
        for (int64_t i = 0; i < n; ++i) x.push_back(!tap ? 0 : i ? tap[n + i] ^ tap[n + i - 1] : tap[n]);
      x.resize(static_cast<size_t>(padded));
      for (size_t i = 1; i < x.size(); ++i) x[i] ^= x[i - 1];
      x.push_back(77);
      EXPECT_EQ(x, got) << n;
    }
  });
}

TEST(Bits, unlike_bits_are_counted) {
  on_all_bit_levels([](const cpu::BitTable& t) {
    for (int64_t n : {4, 8, 20, 72, 124, 128, 252, 1000})
      for (int64_t pixels : {1, 2, 3, 4, 5, 6, 7, 13})
        for (int64_t panels : {1, 2, 3}) {
          int64_t stride = n + 4, filters = panels * t.lanes;
          std::vector<uint32_t> x = words(pixels * stride, 5), w = words(filters * n, 6);
          // as many as there can be
          if (n == 1000) std::fill(w.begin(), w.end(), 0u), std::fill(x.begin(), x.end(), ~0u);
          std::vector<uint32_t> windows = x, lanes(w.size());
          for (int64_t p = 0; p < pixels; ++p)
            for (int64_t k = 1; k < n; ++k)
              windows[static_cast<size_t>(p * stride + k)] ^=
                  windows[static_cast<size_t>(p * stride + k - 1)];
          for (int64_t f = 0; f < filters; ++f)
            for (uint32_t parity = 0, k = 0; k < n; ++k)
              lanes[static_cast<size_t>((f / t.lanes * n + k) * t.lanes + f % t.lanes)] = parity ^=
                  w[static_cast<size_t>(f * n + k)];
          std::vector<int32_t> counts(static_cast<size_t>(pixels * (filters + 1)), -1);
          t.count({windows.data(), stride, lanes.data(), n, pixels, panels, counts.data(), filters + 1});
          for (int64_t p = 0; p < pixels; ++p) {
            for (int64_t f = 0; f < filters; ++f) {
              int32_t want = 0;
              for (int64_t k = 0; k < n; ++k)
                want += __builtin_popcount(x[static_cast<size_t>(p * stride + k)] ^
                                           w[static_cast<size_t>(f * n + k)]);
              ASSERT_EQ(want, counts[static_cast<size_t>(p * (filters + 1) + f)])
                  << n << " words, pixel " << p << " of " << pixels << ", filter " << f;
            }
            ASSERT_EQ(-1, counts[static_cast<size_t>(p * (filters + 1) + filters)]);
          }
        }
  });
}

template <class T>
void levels_are_peeled(const cpu::BitTable& t) {
  for (int64_t n : {1, 63, 64, 200, 1003}) {
    std::vector<T> x = with_zeros<T>(n, 8), map = noise<T>(n, 9), y(static_cast<size_t>(n), T(1)),
                   rest(static_cast<size_t>(n));
    const cpu::BitKernels<T>& q = bits_of<T>(t);
    for (const T* where : {static_cast<const T*>(nullptr), static_cast<const T*>(map.data())}) {
      double want = 0;
      for (size_t i = 0; i < x.size(); ++i)
        want += !where || map[i] > T(0.25) ? std::abs(static_cast<double>(x[i])) : 0;
      EXPECT_NEAR(want, q.sum_of_magnitudes(x.data(), where, T(0.25), n), 1e-6 * static_cast<double>(n)) << n;
      std::fill(y.begin(), y.end(), T(1));
      q.peel(y.data(), rest.data(), x.data(), where, T(0.25), T(0.5), n);
      for (size_t i = 0; i < x.size(); ++i) {
        T b = where && !(map[i] > T(0.25)) ? T(0) : x[i] > 0 ? T(0.5) : T(-0.5);
        ASSERT_EQ(T(1) + b, y[i]);
        ASSERT_EQ(x[i] - b, rest[i]);
      }
    }
  }
}

TEST(Bits, levels_are_peeled_off) {
  on_all_bit_levels([](const cpu::BitTable& t) {
    levels_are_peeled<float>(t);
    levels_are_peeled<double>(t);
  });
}

}  // namespace
