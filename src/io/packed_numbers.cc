#include <cantik/packed_numbers.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace cantik {
namespace {

template <class T>
int64_t number_at(const uint8_t* bytes, size_t at) {
  T x;
  std::memcpy(&x, bytes + at * sizeof(T), sizeof(T));
  return static_cast<int64_t>(x);
}
template <class T>
int64_t sum_at(const uint8_t* bytes, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += static_cast<uint64_t>(number_at<T>(bytes, i));
  return static_cast<int64_t>(sum);
}

// Sums of numbers that are not positive may leave 64 bits, as those of keys do, which nobody asks for.
int64_t added(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

}  // namespace

int64_t PackedNumbers::in_block(const Block& b, size_t at) const {
  const uint8_t* from = bytes_.data() + b.begin();
  switch (b.width()) {
    case 0: return b.low;
    case 1: return added(b.low, number_at<uint8_t>(from, at));
    case 2: return added(b.low, number_at<uint16_t>(from, at));
    case 4: return added(b.low, number_at<uint32_t>(from, at));
    default: return added(b.low, number_at<uint64_t>(from, at));
  }
}

int64_t PackedNumbers::sum_in_block(const Block& b, size_t count) const {
  const uint8_t* from = bytes_.data() + b.begin();
  const auto low = static_cast<int64_t>(static_cast<uint64_t>(b.low) * count);
  switch (b.width()) {
    case 0: return low;
    case 1: return added(low, sum_at<uint8_t>(from, count));
    case 2: return added(low, sum_at<uint16_t>(from, count));
    case 4: return added(low, sum_at<uint32_t>(from, count));
    default: return added(low, sum_at<uint64_t>(from, count));
  }
}

int64_t PackedNumbers::sum_of(size_t n) const {
  if (is_constant()) return static_cast<int64_t>(static_cast<uint64_t>(first_) * n);
  const size_t block = n / kBlock, rest = n % kBlock;
  if (block < blocks_.size()) return added(blocks_[block].before, sum_in_block(blocks_[block], rest));
  int64_t sum = blocks_.empty() ? 0 : added(blocks_.back().before, sum_in_block(blocks_.back(), kBlock));
  for (size_t i = 0; i < n - kBlock * blocks_.size(); ++i) sum = added(sum, open_[i]);
  return sum;
}

void PackedNumbers::push_back(int64_t number) {
  if (size_ == 0) first_ = number;
  if (is_constant() && number != first_) spread();
  const bool is_stored = !is_constant() || number != first_;
  ++size_;
  if (!is_stored) return;
  open_.push_back(number);
  if (open_.size() == kBlock) pack();
}

// So far every number was the first one.
void PackedNumbers::spread() {
  const size_t whole = size_ / kBlock;
  for (size_t b = 0; b < whole; ++b)
    blocks_.push_back({first_, static_cast<int64_t>(static_cast<uint64_t>(first_) * b * kBlock), 0});
  open_.assign(size_ % kBlock, first_);
}

void PackedNumbers::pack() {
  const auto [low, high] = std::ranges::minmax(open_);
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  uint64_t width = 8;
  for (const uint64_t w : {uint64_t{4}, uint64_t{2}, uint64_t{1}, uint64_t{0}})
    if (span >> (8 * w) == 0) width = w;
  const int64_t before = sum_of(blocks_.size() * kBlock);
  blocks_.push_back({low, before, bytes_.size() * 16 + width});
  for (const int64_t n : open_) {
    const uint64_t above = static_cast<uint64_t>(n) - static_cast<uint64_t>(low);
    const size_t at = bytes_.size();
    bytes_.resize(at + width);
    std::memcpy(bytes_.data() + at, &above, width);
  }
  open_.clear();
}

void PackedNumbers::shrink_to_fit() {
  blocks_.shrink_to_fit();
  open_.shrink_to_fit();
  bytes_.shrink_to_fit();
}

size_t PackedNumbers::bytes() const {
  return blocks_.capacity() * sizeof(Block) + open_.capacity() * sizeof(int64_t) + bytes_.capacity();
}

bool PackedNumbers::assign(Parts p, int64_t least, int64_t most) {
  *this = {};
  const bool is_one = p.blocks.empty() && p.open.empty();
  if (is_one ? p.size > 0 && (p.first < least || p.first > most)
             : p.size != p.blocks.size() * kBlock + p.open.size() || p.open.size() >= kBlock)
    return false;
  size_ = p.size;
  first_ = p.first;
  blocks_ = std::move(p.blocks);
  open_ = std::move(p.open);
  bytes_ = std::move(p.bytes);
  uint64_t end = 0;
  int64_t sum = 0;
  bool fits = std::ranges::all_of(open_, [&](int64_t n) { return n >= least && n <= most; });
  for (Block& b : blocks_) {
    const uint64_t w = b.width();
    const bool is_width = w == 0 || w == 1 || w == 2 || w == 4 || w == 8;
    const bool is_place = b.begin() == end || (w == 0 && b.begin() == 0);
    fits = fits && is_width && is_place && b.low >= least && b.low <= most;
    if (!fits) break;
    end += w * kBlock;
    fits = end <= bytes_.size();
    // a number above the most would be as wide as `most` is, or wider
    const uint64_t room = static_cast<uint64_t>(most) - static_cast<uint64_t>(b.low);
    const bool is_near = w < 8 && room < (uint64_t{1} << (8 * w)) - 1;
    for (size_t i = 0; fits && (is_near || w == 8) && i < kBlock; ++i) {
      const int64_t n = in_block(b, i);
      fits = n >= b.low && n <= most;
    }
    if (!fits) break;
    b.before = sum;
    sum = added(sum, sum_in_block(b, kBlock));
  }
  fits = fits && end == bytes_.size();
  if (!fits) *this = {};
  return fits;
}

}  // namespace cantik
