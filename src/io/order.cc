#include "io/order.h"

#include <numeric>

#include "base/interrupt.h"
#include "tensor/random_engine.h"

namespace cantik {
namespace {

constexpr int64_t kWorkPerDraw = 20;

// Runs and starts, once it is known how chunks follow one another; the sequences of a chunk in their own
// order.
Order in_chunks(const Deserializer& data, const std::vector<int32_t>& chunks) {
  const std::vector<SequenceInfo>& all = *data.index();
  std::vector<int64_t> first(chunks.size() + 1, 0);
  for (const SequenceInfo& s : all) ++first[static_cast<size_t>(s.chunk) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  Order o;
  o.sequence.reserve(all.size());
  o.rank.resize(chunks.size());
  o.run.push_back(0);
  for (size_t r = 0; r < chunks.size(); ++r) {
    size_t c = static_cast<size_t>(chunks[r]);
    o.rank[c] = static_cast<int32_t>(r);
    for (int64_t i = first[c]; i < first[c + 1]; ++i) o.sequence.push_back(static_cast<int32_t>(i));
    o.run.push_back(o.places());
    o.window.emplace_back(static_cast<int32_t>(r), static_cast<int32_t>(r) + 1);
  }
  return o;
}

void count_samples(Order& o, const Deserializer& data) {
  o.start.assign(1, 0);
  o.start.reserve(o.sequence.size() + 1);
  for (int32_t s : o.sequence)
    o.start.push_back(o.start.back() + (*data.index())[static_cast<size_t>(s)].samples);
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
  auto start = [&](size_t run) { return o.start[static_cast<size_t>(o.run[run])]; };
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
    int32_t own = o.rank[static_cast<size_t>((*data.index())[static_cast<size_t>(sequence)].chunk)];
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
