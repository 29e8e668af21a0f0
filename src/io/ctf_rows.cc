// What a chunk of text has become, as values.
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "io/ctf.h"

namespace cantik {
namespace {

std::shared_ptr<const Layout> layout_of(const Buffer<int64_t>& offsets) {
  const int64_t sequences = offsets.size() - 1;
  std::vector<int64_t> lengths(static_cast<size_t>(sequences));
  for (int64_t i = 0; i < sequences; ++i) lengths[static_cast<size_t>(i)] = offsets[i + 1] - offsets[i];
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

}  // namespace

Chunk chunk_of(const std::vector<CtfStream>& streams, std::vector<CtfRows> given) {
  auto all = std::make_shared<std::vector<CtfRows>>(std::move(given));
  Chunk chunk;
  for (size_t s = 0; s < streams.size(); ++s) {
    CtfRows& r = (*all)[s];
    const Shape shape{r.offsets.back(), streams[s].dim};
    if (!streams[s].sparse && !r.starts.empty()) count_columns(r);
    Tensor data = r.starts.empty()
                      ? Tensor::borrow(DType::float32, shape, r.values.data(), all, true)
                      : Tensor::csr(DType::float32, shape, {all, r.starts.data()}, {all, r.columns.data()},
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
