// Orders that are made as they are asked for, against the whole order of a sweep made at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "io/order.h"
#include "tensor/random_engine.h"

namespace cantik {
namespace {

class Listed final : public Deserializer {
 public:
  const std::vector<Stream>& streams() const override { return streams_; }
  int64_t chunks() const override { return count; }
  const SequenceIndex* index() const override { return &sequences; }
  Chunk load(int64_t) override { return {}; }
  int64_t count = 0;
  SequenceIndex sequences;

 private:
  std::vector<Stream> streams_{{.name = "x", .shape = {1}}};
};

Listed data_of(int64_t chunks, int64_t most, bool is_long, uint64_t seed) {
  Mt19937_64 draw(seed);
  Listed data;
  data.count = chunks;
  for (int32_t c = 0; c < chunks; ++c)
    for (int32_t i = 0, n = static_cast<int32_t>(draw() % static_cast<uint64_t>(most + 1)); i < n; ++i)
      data.sequences.push_back(
          {data.sequences.size(), is_long ? static_cast<int64_t>(1 + draw() % 9) : 1, c, i});
  return data;
}

// All places at once, as CNTK does it.
std::vector<size_t> expected_order(const Listed& data, uint64_t seed, int64_t width) {
  const auto n = static_cast<size_t>(data.count);
  std::vector<int64_t> chunks(n), rank(n), run{0}, first(n), last(n);
  std::iota(chunks.begin(), chunks.end(), 0);
  Mt19937_64 shuffle(seed), draw(seed);
  for (int64_t& c : chunks) std::swap(c, chunks[shuffle() % n]);
  std::vector<size_t> order;
  for (size_t r = 0; r < n; ++r) {
    rank[static_cast<size_t>(chunks[r])] = static_cast<int64_t>(r);
    const auto [begin, end] = data.sequences.of_chunk(chunks[r]);
    for (size_t i = begin; i < end; ++i) order.push_back(i);
    run.push_back(static_cast<int64_t>(order.size()));
    const auto at = static_cast<int64_t>(r);
    first[r] = std::max<int64_t>(0, std::min(at - width / 2, data.count - width));
    last[r] = std::min(data.count - first[r], width) + first[r];
  }
  auto reaches = [&](size_t r, size_t sequence) {
    const int64_t own = rank[static_cast<size_t>(data.sequences.chunk_of(sequence))];
    return first[r] <= own && own < last[r];
  };
  for (size_t r = 0; r < n; ++r)
    for (int64_t place = run[r]; place < run[r + 1]; ++place)
      for (;;) {
        const int64_t low = run[static_cast<size_t>(first[r])], high = run[static_cast<size_t>(last[r])];
        const int64_t other = low + static_cast<int64_t>(draw() % static_cast<uint64_t>(high - low));
        const auto theirs =
            static_cast<size_t>(std::upper_bound(run.begin(), run.end(), other) - run.begin() - 1);
        size_t &a = order[static_cast<size_t>(place)], &b = order[static_cast<size_t>(other)];
        if (!reaches(r, b) || !reaches(theirs, a)) continue;
        std::swap(a, b);
        break;
      }
  return order;
}

TEST(Order, IsThatOfTheWholeSweepWhereverItIsAsked) {
  for (const bool is_long : {false, true})
    for (const int64_t width : {1, 2, 5, 128})
      for (const int64_t chunks : {1, 3, 40}) {
        const Listed data = data_of(chunks, 60, is_long, static_cast<uint64_t>(chunks));
        const std::vector<size_t> expected = expected_order(data, 7, width);
        std::vector<int64_t> start{0};
        for (const size_t s : expected) start.push_back(start.back() + data.sequences.samples(s));
        const auto order = random_order(data, 7, width, 0);
        const auto places = static_cast<int64_t>(expected.size());
        ASSERT_EQ(order->places(), places);
        EXPECT_EQ(order->samples(), start.back());
        auto expect_at = [&](int64_t place) {
          EXPECT_EQ(order->start(place), start[static_cast<size_t>(place)]) << place;
          if (place < places) {
            EXPECT_EQ(order->sequence_at(place), expected[static_cast<size_t>(place)]) << place;
          }
        };
        Mt19937_64 draw(3);
        for (int64_t place = 0; place <= places; ++place) {
          expect_at(place);
          if (draw() % 16 == 0)
            expect_at(std::min<int64_t>(places, place + static_cast<int64_t>(draw() % 100)));
          if (draw() % 64 == 0) expect_at(static_cast<int64_t>(draw() % static_cast<uint64_t>(places + 1)));
        }
        for (int i = 0; i < 30; ++i) {
          const auto sample = static_cast<int64_t>(draw() % static_cast<uint64_t>(start.back() + 1));
          const auto found = std::ranges::lower_bound(start, sample) - start.begin();
          EXPECT_EQ(order->place_of(sample), found);
          expect_at(found);
        }
      }
}

TEST(Order, OfTheFileCountsSamples) {
  const Listed data = data_of(9, 30, true, 1);
  const auto order = order_of_file(data);
  int64_t start = 0;
  for (int64_t place = 0; place < order->places(); ++place) {
    EXPECT_EQ(order->start(place), start);
    EXPECT_EQ(order->place_of(start), place);
    if (place > 5) {
      EXPECT_EQ(order->start(place - 5), data.sequences.samples_before(static_cast<size_t>(place - 5)));
    }
    start += data.sequences.samples(static_cast<size_t>(place));
  }
  EXPECT_EQ(order->start(order->places()), start);
  EXPECT_EQ(order->samples(), start);
}

}  // namespace
}  // namespace cantik
