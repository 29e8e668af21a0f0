// The twist and the tempering of the 64-bit Mersenne Twister.
#include "tensor/random_vector.h"

#include "tensor/random_engine.h"
#include "tensor/random_jump.h"
#include "tensor/random_twist.h"

#include <algorithm>

namespace cantik {
namespace {

constexpr size_t kWords = Mt19937_64::kWords, kHalf = 156;

// x: [312]. The loops are cut where a word first depends on one made here, at multiples of 8.
CANTIK_CLONES void twist(uint64_t* __restrict x) {
  for (size_t i = 0; i < 152; ++i) x[i] = x[i + kHalf] ^ twisted(x[i], x[i + 1]);
  for (size_t i = 152; i < kHalf; ++i) x[i] = x[i + kHalf] ^ twisted(x[i], x[i + 1]);
  for (size_t i = kHalf; i < 308; ++i) x[i] = x[i - kHalf] ^ twisted(x[i], x[i + 1]);
  for (size_t i = 308; i < 311; ++i) x[i] = x[i - kHalf] ^ twisted(x[i], x[i + 1]);
  x[311] = x[155] ^ twisted(x[311], x[0]);
}

CANTIK_CLONES void temper(const uint64_t* __restrict x, uint64_t* __restrict out) {
  for (size_t i = 0; i < kWords; ++i) {
    uint64_t y = x[i];
    y ^= (y >> 29) & 0x5555555555555555;
    y ^= (y << 17) & 0x71d67fffeda60000;
    y ^= (y << 37) & 0xfff7eee000000000;
    out[i] = y ^ (y >> 43);
  }
}

}  // namespace

Mt19937_64::Mt19937_64(uint64_t seed) {
  state_[0] = seed;
  for (size_t i = 1; i < kWords; ++i)
    state_[i] = 6364136223846793005u * (state_[i - 1] ^ (state_[i - 1] >> 62)) + i;
}

Mt19937_64::Mt19937_64(std::span<const uint64_t, kWords> state) : next_(0) {
  std::copy(state.begin(), state.end(), state_);
  temper(state_, ready_);
}

void Mt19937_64::refill() {
  twist(state_);
  temper(state_, ready_);
  next_ = 0;
}

void Mt19937_64::fill(std::span<uint64_t> out) {
  while (!out.empty()) {
    std::span<const uint64_t> words = peek();
    size_t count = std::min(words.size(), out.size());
    std::copy_n(words.begin(), count, out.begin());
    advance(count);
    out = out.subspan(count);
  }
}

void Mt19937_64::discard(uint64_t count) {
  uint64_t left = kWords - next_;
  if (count <= left) {
    next_ += count;
    return;
  }
  count -= left;
  constexpr uint64_t kQuicklyMade = uint64_t{1} << 28;
  if (count > kQuicklyMade) {
    const uint64_t words = (count - 1) / kWords * kWords;
    jump(state_, words);
    count -= words;
  }
  for (; count > kWords; count -= kWords) twist(state_);
  refill();
  next_ = count;
}

}  // namespace cantik
