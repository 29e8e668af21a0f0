// What a chunk of text has become, as values.
#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <vector>

#include "io/ctf.h"
#include "io/sparse_row.h"

namespace cantik {
namespace {

std::shared_ptr<const Layout> layout_of(const Buffer<int64_t>& offsets) {
  const int64_t sequences = offsets.size() - 1;
  std::vector<int64_t> lengths(static_cast<size_t>(sequences));
  for (int64_t i = 0; i < sequences; ++i) lengths[i] = offsets[i + 1] - offsets[i];
  const bool one_step = std::ranges::all_of(lengths, [](int64_t n) { return n == 1; });
  return one_step ? Layout::batch(sequences) : Layout::of_lengths(lengths);
}

bool same(const Buffer<int64_t>& a, const Buffer<int64_t>& b) {
  return std::ranges::equal(std::span(a.data(), static_cast<size_t>(a.size())),
                            std::span(b.data(), static_cast<size_t>(b.size())));
}

// Dense rows that are not full, as sparse rows of the numbers that they have.
void count_columns(CtfRows& r) {
  int32_t* column = r.columns.grow(r.values.size());
  for (int64_t row = 0; row + 1 < r.starts.size(); ++row)
    for (int64_t k = r.starts[row]; k < r.starts[row + 1]; ++k)
      *column++ = static_cast<int32_t>(k - r.starts[row]);
}

// Where rows of one value each begin: 0, 1, 2, ..., so many numbers. All chunks that are there share them.
std::shared_ptr<const int64_t> counting(int64_t count) {
  static std::mutex mutex;
  static std::weak_ptr<const int64_t> last;
  static int64_t last_count = 0;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const int64_t> numbers = last.lock();
  if (!numbers || last_count < count) {
    last_count = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(count)));
    std::shared_ptr<void> block = allocate(static_cast<size_t>(last_count) * sizeof(int64_t));
    auto* first = static_cast<int64_t*>(block.get());
    std::iota(first, first + last_count, 0);
    numbers = {std::move(block), first};
    last = numbers;
  }
  return numbers;
}

}  // namespace

void CtfRows::write_ones() {
  std::ranges::fill(std::span(values.grow(columns.size()), static_cast<size_t>(columns.size())), 1.0F);
}

void CtfRows::write_starts(int64_t rows) {
  int64_t* first = starts.grow(rows + 1);
  std::iota(first, first + rows + 1, 0);
}

void CtfRows::sort(int64_t first) {
  const int64_t count = columns.size() - first;
  std::vector<float> row(static_cast<size_t>(count), 1);
  if (!values.empty()) std::copy_n(values.data() + first, count, row.data());
  truncate(first + merge_columns(columns.data() + first, row.data(), count));
  row.resize(static_cast<size_t>(columns.size() - first));
  if (values.empty() && std::ranges::all_of(row, [](float x) { return x == 1; })) return;
  if (values.empty()) write_ones();
  std::ranges::copy(row, values.data() + first);
}

Chunk chunk_of(const std::vector<CtfStream>& streams, std::vector<CtfRows> given) {
  auto all = std::make_shared<std::vector<CtfRows>>(std::move(given));
  Chunk chunk;
  for (size_t s = 0; s < streams.size(); ++s) {
    CtfRows& r = (*all)[s];
    const Shape shape{r.offsets.back(), streams[s].dim};
    if (!streams[s].sparse && !r.starts.empty()) count_columns(r);
    const bool is_dense = !streams[s].sparse && r.starts.empty();
    const auto starts = [&]() -> std::shared_ptr<const int64_t> {
      if (r.starts.empty()) return counting(r.offsets.back() + 1);
      return {all, r.starts.data()};
    };
    Tensor data = is_dense ? Tensor::borrow(DType::float32, shape, r.values.data(), all, true)
                           : Tensor::csr(DType::float32, shape, starts(), {all, r.columns.data()},
                                         {all, static_cast<const void*>(r.values.data())});
    // Streams whose sequences are as long share a layout.
    std::shared_ptr<const Layout> layout;
    for (size_t other = 0; other < s && !layout; ++other)
      if (same((*all)[other].offsets, r.offsets)) layout = chunk[other].layout;
    chunk.emplace_back(std::move(data), layout ? layout : layout_of(r.offsets));
  }
  for (CtfRows& r : *all) r.offsets.clear();
  return chunk;
}

}  // namespace cantik
