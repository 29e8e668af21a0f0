// The index of sequences, and the sums that say where they are.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <cantik/error.h>
#include <cantik/sequence_index.h>

#include "base/prefix_sums.h"
#include "tensor/random_engine.h"

namespace cantik {
namespace {

void expect_equal(const SequenceInfo& a, const SequenceInfo& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.chunk, b.chunk);
  EXPECT_EQ(a.in_chunk, b.in_chunk);
}

TEST(SequenceIndex, GivesBackWhatWasAdded) {
  Mt19937_64 draw(1);
  for (const bool named : {false, true})
    for (const bool is_long : {false, true})
      for (const size_t reserved : {0, 500}) {
        std::vector<SequenceInfo> all;
        SequenceIndex index;
        index.reserve(reserved);
        for (int32_t chunk = 2; chunk < 40;
             ++chunk)  // some chunks have no sequences, the first two among them
          for (int32_t i = 0, n = static_cast<int32_t>(draw() % 20); i < n; ++i) {
            const bool is_odd = all.size() > 50;
            all.push_back({named && is_odd ? draw() : 7 + all.size(),
                           is_long && is_odd ? static_cast<int64_t>(1 + draw() % 0xffffffff) : 1, chunk, i});
            index.push_back(all.back());
          }
        index.shrink_to_fit();
        ASSERT_EQ(index.size(), all.size());
        size_t at = 0;
        for (const SequenceInfo& s : index) expect_equal(s, all[at++]);
        EXPECT_EQ(at, all.size());
        for (size_t i = 0; i < all.size(); ++i) {
          expect_equal(index[i], all[i]);
          const auto [first, last] = index.of_chunk(all[i].chunk);
          EXPECT_EQ(first, i - static_cast<size_t>(all[i].in_chunk));
          EXPECT_TRUE(i < last && (last == all.size() || all[last].chunk > all[i].chunk));
        }
        EXPECT_EQ(index.of_chunk(0).size(), 0u);
        EXPECT_EQ(index.of_chunk(1000).size(), 0u);
        EXPECT_EQ(index.chunks(), all.back().chunk + 1);
      }
}

TEST(SequenceIndex, TakesFewBytes) {
  SequenceIndex rows, sentences;
  for (int32_t i = 0; i < 100000; ++i) {
    rows.push_back({rows.size(), 1, i / 1000, i % 1000});
    sentences.push_back({sentences.size(), 1 + i % 30, i / 1000, i % 1000});
  }
  rows.shrink_to_fit();
  sentences.shrink_to_fit();
  EXPECT_LT(rows.bytes(), 1000u);
  EXPECT_LT(sentences.bytes(), 401000u);
}

TEST(SequenceIndex, RefusesWhatDoesNotFollow) {
  const std::vector<SequenceInfo> wrong = {
      {.samples = 1, .chunk = 0},                  // an earlier chunk
      {.samples = 1, .chunk = 1, .in_chunk = 0},   // the same number again
      {.samples = 1, .chunk = 1, .in_chunk = 2},   // one is left out
      {.samples = 1, .chunk = 2, .in_chunk = 1},   // not from 0
      {.samples = 1, .chunk = -1},                 //
      {.samples = 0, .chunk = 1, .in_chunk = 1},   //
      {.samples = -1, .chunk = 1, .in_chunk = 1},  //
      {.samples = int64_t{1} << 32, .chunk = 1, .in_chunk = 1}};
  SequenceIndex index;
  EXPECT_THROW(index.push_back({.samples = 1, .in_chunk = 1}), Error);
  EXPECT_TRUE(index.empty());
  index.push_back({.samples = 1, .chunk = 1});
  for (const SequenceInfo& s : wrong) {
    EXPECT_THROW(index.push_back(s), Error);
    EXPECT_EQ(index.size(), 1u);
  }
  index.push_back({.samples = 1, .chunk = 1, .in_chunk = 1});
  EXPECT_EQ(index.size(), 2u);
}

void expect_sums(const std::vector<int64_t>& numbers) {
  PrefixSums sums;
  std::vector<int64_t> expected = {0};
  for (const int64_t n : numbers) {
    sums.add(n);
    expected.push_back(expected.back() + n);
  }
  const int64_t count = static_cast<int64_t>(numbers.size());
  ASSERT_EQ(sums.size(), count);
  EXPECT_EQ(sums.sum(), expected.back());
  for (int64_t i = 0; i <= count; ++i) EXPECT_EQ(sums[i], expected[static_cast<size_t>(i)]) << i;
  for (const int64_t s : expected)
    for (const int64_t beside : {s - 1, s, s + 1}) {
      const auto found = std::lower_bound(expected.begin(), expected.end() - 1, beside) - expected.begin();
      EXPECT_EQ(sums.count_up_to(beside), found) << beside;
    }
}

TEST(PrefixSums, AgreesWithSumsOf64Bits) {
  expect_sums({});
  expect_sums(std::vector<int64_t>(300, 1));
  Mt19937_64 draw(2);
  for (const uint64_t most : {uint64_t{3}, uint64_t{1} << 20, uint64_t{1} << 31, uint64_t{1} << 35}) {
    std::vector<int64_t> numbers(20, 1);
    for (int i = 0; i < 300; ++i) numbers.push_back(static_cast<int64_t>(draw() % most));
    expect_sums(numbers);
  }
}

}  // namespace
}  // namespace cantik
