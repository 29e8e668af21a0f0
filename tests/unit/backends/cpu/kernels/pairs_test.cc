// Two steps in one pass have the bits of the two steps, on every instruction set, with tiles and with single
// numbers.
#include <gtest/gtest.h>

#include <vector>

#include <cantik/plugin.h>

#include "cpu_helpers.h"

using namespace cantik;
using namespace cantik::cpu;
using namespace cantik::support;

namespace {

constexpr int64_t kSize = 48;
constexpr int kFirst[] = {CANTIK_X_ADD, CANTIK_X_SUB, CANTIK_X_MUL};
constexpr int kSecond[] = {CANTIK_X_ADD, CANTIK_X_SUB, CANTIK_X_SUB,
                           CANTIK_X_MUL, CANTIK_X_MAX, CANTIK_X_MUL};

template <class T>
void expect_steps(const Kernels<T>& k, int first, int second, bool one_b, bool one_c) {
  const std::vector<T> a = noise<T>(kSize, 1), b = noise<T>(kSize, 2), c = noise<T>(kSize, 3);
  const std::vector<T> full_b = one_b ? std::vector<T>(kSize, b[0]) : b;
  const std::vector<T> full_c = one_c ? std::vector<T>(kSize, c[0]) : c;
  std::vector<T> between(kSize), steps(kSize), pair = a;
  k.tile[kFirst[first]](between.data(), a.data(), full_b.data(), nullptr, kSize);
  const T *x = between.data(), *y = full_c.data();
  if (second == static_cast<int>(PairSecond::square)) y = x;
  if (second == static_cast<int>(PairSecond::sub_from)) std::swap(x, y);
  k.tile[kSecond[second]](steps.data(), x, y, nullptr, kSize);
  k.pairs[first][second].by[one_b][one_c](pair.data(), pair.data(), b.data(), c.data(), kSize);  // in place
  EXPECT_TRUE(same_bits(steps, pair)) << first << " then " << second << ", " << one_b << one_c;
}

TEST(Pairs, have_the_bits_of_their_steps) {
  on_all_levels([](const Table& t) {
    for (int first = 0; first < static_cast<int>(PairFirst::count); ++first)
      for (int second = 0; second < static_cast<int>(PairSecond::count); ++second)
        for (bool one_b : {false, true})
          for (bool one_c : {false, true}) {
            expect_steps(t.f32, first, second, one_b, one_c);
            expect_steps(t.f64, first, second, one_b, one_c);
          }
  });
}

template <class T>
void expect_by_one(const Kernels<T>& k) {
  const std::vector<T> a = noise<T>(kSize, 4), b(kSize, a[7]);
  int loops = 0;
  for (int op = 0; op < 128; ++op) {
    if (!k.tile_by_one[op]) continue;
    ++loops;
    std::vector<T> full(kSize), one(kSize);
    k.tile[op](full.data(), a.data(), b.data(), nullptr, kSize);
    k.tile_by_one[op](one.data(), a.data(), &b[0], nullptr, kSize);
    EXPECT_TRUE(same_bits(full, one)) << op;
  }
  EXPECT_EQ(12, loops);
}

TEST(Tiles, take_a_single_number_as_a_tile_of_it) {
  on_all_levels([](const Table& t) {
    expect_by_one(t.f32);
    expect_by_one(t.f64);
  });
}

}  // namespace
