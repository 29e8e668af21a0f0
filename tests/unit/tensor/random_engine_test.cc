// The engine against the standard library's.
#include "tensor/random_engine.h"
#include "tensor/random_jump.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "random_helpers.h"

namespace cantik {
namespace {

TEST(Engine, DrawsWhatTheStandardOneDraws) {
  for (uint64_t seed : kSeeds) {
    Mt19937_64 ours(seed);
    std::mt19937_64 theirs(seed);
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(ours(), theirs()) << seed << ", word " << i;
  }
}

TEST(Engine, FillsAndSkips) {
  for (uint64_t skip : {0, 1, 100, 311, 312, 313, 623, 624, 625, 100000}) {
    Mt19937_64 ours(5);
    std::mt19937_64 theirs(5);
    for (size_t count : {0, 1, 7, 305, 312, 1000}) {
      ours.discard(skip);
      theirs.discard(skip);
      std::vector<uint64_t> words(count);
      ours.fill(words);
      for (uint64_t w : words) ASSERT_EQ(w, theirs()) << skip << ", " << count;
    }
  }
}

TEST(Engine, JumpsAsFarAsItIsTold) {
  constexpr uint64_t words = Mt19937_64::kWords;
  std::vector<uint64_t> state = state_of({1, 2, ~uint64_t{0}});
  // steps as they are made
  for (uint64_t far : {uint64_t{1}, uint64_t{2}, uint64_t{312}, uint64_t{100003}}) {
    std::vector<uint64_t> there = state;
    jump(there.data(), far * words);
    Mt19937_64 slow = engine_of(state), quick = engine_of(there);
    for (uint64_t i = 0; i < far; ++i) slow.discard(words);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(quick(), slow()) << far;
  }
  std::vector<uint64_t> once = state, twice = state;  // two jumps are one
  jump(once.data(), ((uint64_t{1} << 54) + 12345) * words);
  jump(twice.data(), ((uint64_t{1} << 53) + 12344) * words);
  jump(twice.data(), ((uint64_t{1} << 53) + 1) * words);
  EXPECT_EQ(once, twice);
}

TEST(Engine, SkipsMoreThanCanBeMade) {
  constexpr uint64_t most = ~uint64_t{0};
  Mt19937_64 once(5), twice(5);
  once.discard(most);
  twice.discard(most / 2);
  twice.discard(most / 2);
  twice.discard(1);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(once(), twice());
}

TEST(Engine, TakesAState) {
  std::vector<uint64_t> state = state_of({1, 2, ~uint64_t{0}});
  Mt19937_64 ours = engine_of(state);
  std::mt19937_64 theirs = standard_of(state);
  EXPECT_EQ(ours(), 1u);
  theirs();
  for (int i = 1; i < 1000; ++i) ASSERT_EQ(ours(), theirs());
}

}  // namespace
}  // namespace cantik
