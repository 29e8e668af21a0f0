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
constexpr int kFirst[] = {CANTIK_X_ADD, CANTIK_X_SUB, CANTIK_X_MUL, CANTIK_X_LT,
                          CANTIK_X_LE,  CANTIK_X_GT,  CANTIK_X_GE};
constexpr int kSecond[] = {CANTIK_X_ADD, CANTIK_X_SUB, CANTIK_X_SUB, CANTIK_X_MUL, CANTIK_X_MAX};

// The second of two steps: x comes from the first one, which took a and b.
template <class T>
std::vector<T> second_step(const Kernels<T>& k, PairSecond second, const std::vector<T>& x,
                           const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c) {
  std::vector<T> y(kSize);
  const auto choose = [&](const std::vector<T>& yes, const std::vector<T>& no) {
    k.tile[CANTIK_X_SELECT](y.data(), x.data(), yes.data(), no.data(), kSize);
  };
  switch (second) {
    case PairSecond::c_else_a: choose(c, a); break;
    case PairSecond::c_else_b: choose(c, b); break;
    case PairSecond::a_else_c: choose(a, c); break;
    case PairSecond::b_else_c: choose(b, c); break;
    case PairSecond::sub_from: k.tile[CANTIK_X_SUB](y.data(), c.data(), x.data(), nullptr, kSize); break;
    case PairSecond::square: k.tile[CANTIK_X_MUL](y.data(), x.data(), x.data(), nullptr, kSize); break;
    default: k.tile[kSecond[static_cast<int>(second)]](y.data(), x.data(), c.data(), nullptr, kSize);
  }
  return y;
}

template <class T>
void expect_steps(const Kernels<T>& k, PairFirst first, PairSecond second, bool one_b, bool one_c) {
  const PairLoops<T>& loops = k.pairs[static_cast<int>(first)][static_cast<int>(second)];
  ASSERT_EQ(is_pair(first, second), loops.by[one_b][one_c] != nullptr);
  if (!is_pair(first, second)) return;
  const std::vector<T> a = noise<T>(kSize, 1), b = noise<T>(kSize, 2), c = noise<T>(kSize, 3);
  const std::vector<T> full_b = one_b ? std::vector<T>(kSize, b[0]) : b;
  const std::vector<T> full_c = one_c ? std::vector<T>(kSize, c[0]) : c;
  std::vector<T> between(kSize), pair = a;
  k.tile[kFirst[static_cast<int>(first)]](between.data(), a.data(), full_b.data(), nullptr, kSize);
  loops.by[one_b][one_c](pair.data(), pair.data(), b.data(), c.data(), kSize);  // in place
  EXPECT_TRUE(same_bits(second_step(k, second, between, a, full_b, full_c), pair))
      << static_cast<int>(first) << " then " << static_cast<int>(second) << ", " << one_b << one_c;
}

TEST(Pairs, have_the_bits_of_their_steps) {
  on_all_levels([](const Table& t) {
    for (int first = 0; first < static_cast<int>(PairFirst::count); ++first)
      for (int second = 0; second < static_cast<int>(PairSecond::count); ++second)
        for (bool one_b : {false, true})
          for (bool one_c : {false, true}) {
            expect_steps(t.f32, static_cast<PairFirst>(first), static_cast<PairSecond>(second), one_b, one_c);
            expect_steps(t.f64, static_cast<PairFirst>(first), static_cast<PairSecond>(second), one_b, one_c);
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
