// The index of sequences, and the packed lists it is made of.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <cantik/error.h>
#include <cantik/packed_numbers.h>
#include <cantik/sequence_index.h>

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
      for (const size_t plain : {0, 50, 128, 300}) {
        std::vector<SequenceInfo> all;
        SequenceIndex index;
        for (int32_t chunk = 2; chunk < 40;
             ++chunk)  // some chunks have no sequences, the first two among them
          for (int32_t i = 0, n = static_cast<int32_t>(draw() % 40); i < n; ++i) {
            const bool is_odd = all.size() >= plain;
            all.push_back({named && is_odd ? draw() : 7 + all.size(),
                           is_long && is_odd ? static_cast<int64_t>(1 + draw() % 0xffffffff) : 1, chunk, i});
            index.push_back(all.back());
          }
        index.shrink_to_fit();
        ASSERT_EQ(index.size(), all.size());
        SequenceIndex kept;
        EXPECT_TRUE(kept.assign(index.parts()));
        size_t at = 0;
        int64_t samples = 0;
        for (const SequenceInfo& s : index) {
          EXPECT_EQ(index.samples_before(at), samples);
          EXPECT_EQ(kept.samples_before(at), samples);
          EXPECT_EQ(index.count_up_to(samples), at);
          EXPECT_EQ(index.count_up_to(samples + 1), at + 1);
          samples += s.samples;
          expect_equal(kept[at], s);
          expect_equal(s, all[at++]);
        }
        EXPECT_EQ(index.samples_before(at), samples);
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
  EXPECT_LT(sentences.bytes(), 160000u);
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

// Blocks whose numbers differ by up to 2^bits.
TEST(PackedNumbers, GiveBackWhatWasAdded) {
  Mt19937_64 draw(2);
  for (const int bits : {0, 3, 8, 12, 20, 33, 63})
    for (const size_t count : {1, 127, 128, 129, 700}) {
      PackedNumbers packed;
      std::vector<int64_t> all;
      for (size_t i = 0; i < count; ++i) {
        const auto n = static_cast<int64_t>((draw() >> (63 - bits)) - (uint64_t{1} << bits >> 1));
        all.push_back(i < 200 ? 5 : n);
        packed.push_back(all.back());
      }
      packed.shrink_to_fit();
      PackedNumbers kept;
      EXPECT_TRUE(kept.assign(packed.parts(), INT64_MIN, INT64_MAX));
      ASSERT_EQ(packed.size(), count);
      for (size_t i = 0; i < count; ++i) {
        EXPECT_EQ(packed[i], all[i]);
        EXPECT_EQ(kept[i], all[i]);
      }
      if (bits < 50) {
        int64_t sum = 0;
        for (size_t i = 0; i <= count; ++i) {
          EXPECT_EQ(packed.sum_of(i), sum);
          EXPECT_EQ(kept.sum_of(i), sum);
          if (i < count) sum += all[i];
        }
      }
      if (bits == 8 && count == 700) {
        EXPECT_LT(packed.bytes(), 2000u);
      }
    }
}

TEST(PackedNumbers, RefuseWhatIsNoList) {
  PackedNumbers packed;
  for (int64_t i = 0; i < 300; ++i) packed.push_back(10 + i % 50);
  const PackedNumbers::Parts right = packed.parts();
  auto is_refused = [&](auto&& change, int64_t least = 10, int64_t most = 59) {
    PackedNumbers::Parts parts = right;
    change(parts);
    PackedNumbers found;
    const bool fits = found.assign(std::move(parts), least, most);
    EXPECT_EQ(found.empty(), !fits);
    return !fits;
  };
  using Parts = PackedNumbers::Parts;
  EXPECT_FALSE(is_refused([](Parts&) {}));
  EXPECT_TRUE(is_refused([](Parts&) {}, 11));
  EXPECT_TRUE(is_refused([](Parts&) {}, 10, 58));
  EXPECT_TRUE(is_refused([](Parts& p) { ++p.size; }));
  EXPECT_TRUE(is_refused([](Parts& p) { p.open.pop_back(); }));
  EXPECT_TRUE(is_refused([](Parts& p) { p.bytes.pop_back(); }));
  EXPECT_TRUE(is_refused([](Parts& p) { p.bytes.push_back(0); }));
  EXPECT_TRUE(is_refused([](Parts& p) { p.blocks.pop_back(); }));
  EXPECT_TRUE(is_refused([](Parts& p) { p.blocks[1].place += 16; }));
  EXPECT_TRUE(is_refused([](Parts& p) { p.blocks[1].place += 2; }));  // a width of 3
  EXPECT_TRUE(is_refused([](Parts& p) { p.bytes[5] = 255; }));        // a number above the most
  EXPECT_TRUE(is_refused([](Parts& p) { p.open[0] = 60; }));
  EXPECT_FALSE(is_refused([](Parts& p) { p.blocks[1].before = 7; }));  // the sums are made anew
  EXPECT_TRUE(is_refused([](Parts& p) {                                // no bytes, which lie outside
    p.blocks.insert(p.blocks.begin() + 1, {10, 0, uint64_t{1} << 40});
    p.size += PackedNumbers::kBlock;
  }));
}

}  // namespace
}  // namespace cantik
