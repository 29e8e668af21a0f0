#include "io/order.h"

#include <numeric>

#include "base/interrupt.h"
#include "tensor/random_engine.h"

namespace cantik {
namespace {

constexpr int64_t kWorkPerDraw = 20;

// Runs, once it is known how chunks follow one another.
Order in_chunks(const Deserializer& data, const std::vector<int32_t>& chunks) {
  Order o;
  o.rank.resize(chunks.size());
  o.run.push_back(0);
  for (size_t r = 0; r < chunks.size(); ++r) {
    o.rank[static_cast<size_t>(chunks[r])] = static_cast<int32_t>(r);
    o.run.push_back(o.run.back() + static_cast<int64_t>(data.index()->of_chunk(chunks[r]).size()));
    o.window.emplace_back(static_cast<int32_t>(r), static_cast<int32_t>(r) + 1);
  }
  return o;
}

// The sequences of each chunk in their own order.
void list_sequences(Order& o, const Deserializer& data, const std::vector<int32_t>& chunks) {
  o.sequence.reserve(data.index()->size());
  for (const int32_t c : chunks) {
    const auto [first, last] = data.index()->of_chunk(c);
    for (size_t i = first; i < last; ++i) o.sequence.push_back(static_cast<int32_t>(i));
  }
}

void count_samples(Order& o, const Deserializer& data) {
  o.start = {};
  o.start.reserve(o.places());
  for (int64_t place = 0; place < o.places(); ++place)
    o.start.add(data.index()->samples(o.sequence_at(place)));
}

// So many runs around each one, fewer behind the last than before it.
void windows_of_chunks(Order& o, int64_t width) {
  int64_t runs = static_cast<int64_t>(o.window.size());
  for (int64_t r = 0; r < runs; ++r) {
    int64_t begin = std::max<int64_t>(0, std::min(r - width / 2, runs - width));
    o.window[static_cast<size_t>(r)] = {static_cast<int32_t>(begin),
                                        static_cast<int32_t>(std::min(runs - begin, width) + begin)};
  }
}

// Runs that begin at most half of the samples before this one, and those that end less than half of them
// behind its beginning.
void windows_of_samples(Order& o, int64_t samples) {
  size_t runs = o.window.size(), begin = 0, end = 1;
  auto start = [&](size_t run) { return o.start[o.run[run]]; };
  for (size_t r = 0; r < runs; ++r) {
    while (start(r) - start(begin) > samples / 2) ++begin;
    end = std::max(end, r + 1);
    while (end < runs && start(end + 1) - start(r) < samples / 2) ++end;
    o.window[r] = {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
  }
}

}  // namespace

Order order_of_file(const Deserializer& data) {
  std::vector<int32_t> chunks(static_cast<size_t>(data.chunks()));
  std::iota(chunks.begin(), chunks.end(), 0);
  Order o = in_chunks(data, chunks);
  count_samples(o, data);
  return o;
}

Order random_order(const Deserializer& data, uint64_t seed, int64_t window_chunks, int64_t window_samples) {
  std::vector<int32_t> chunks(static_cast<size_t>(data.chunks()));
  std::iota(chunks.begin(), chunks.end(), 0);
  Mt19937_64 shuffle(seed);
  for (int32_t& chunk : chunks) std::swap(chunk, chunks[shuffle() % chunks.size()]);
  Order o = in_chunks(data, chunks);
  list_sequences(o, data, chunks);
  if (window_samples > 0) {
    count_samples(o, data);
    windows_of_samples(o, window_samples);
  } else {
    windows_of_chunks(o, window_chunks);
  }
  // Each place in turn is exchanged with another one of its window; both sequences stay in reach of the
  // chunks they come from.
  Mt19937_64 draw(seed);
  auto within = [&](size_t run, int32_t sequence) {
    const int32_t own = o.rank[static_cast<size_t>(data.index()->chunk_of(static_cast<size_t>(sequence)))];
    return o.window[run].first <= own && own < o.window[run].second;
  };
  for (size_t run = 0; run < o.window.size(); ++run) {
    int64_t low = o.run[static_cast<size_t>(o.window[run].first)],
            high = o.run[static_cast<size_t>(o.window[run].second)];
    for (int64_t place = o.run[run]; place < o.run[run + 1]; ++place)
      while (true) {
        may_end(kWorkPerDraw);
        int64_t other = low + static_cast<int64_t>(draw() % static_cast<uint64_t>(high - low));
        int32_t &a = o.sequence[static_cast<size_t>(place)], &b = o.sequence[static_cast<size_t>(other)];
        if (!within(run, b) || !within(static_cast<size_t>(o.run_of(other)), a)) continue;
        std::swap(a, b);
        break;
      }
  }
  count_samples(o, data);
  return o;
}

}  // namespace cantik
