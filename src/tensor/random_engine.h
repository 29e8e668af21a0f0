// The 64-bit Mersenne Twister, made for bulk: a refill twists and tempers all 312 words in loops that
// vectorise.
//
// T. Nishimura, Tables of 64-bit Mersenne twisters, ACM TOMACS 10 (2000). Draws what std::mt19937_64 draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace cantik {

class Mt19937_64 {
 public:
  using result_type = uint64_t;
  static constexpr size_t kWords = 312;

  explicit Mt19937_64(uint64_t seed = 5489);
  // Continues a generator whose next words are `state`, not yet tempered: what std::mt19937_64 writes, at
  // position 0.
  explicit Mt19937_64(std::span<const uint64_t, kWords> state);

  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return std::numeric_limits<uint64_t>::max(); }

  uint64_t operator()() {
    if (next_ == kWords) refill();
    return ready_[next_++];
  }
  void fill(std::span<uint64_t> out);
  void discard(uint64_t count);  // any number of words: many are jumped over

  // The words that come next, at least one and at most a refill; advance() says how many of them were used.
  std::span<const uint64_t> peek() {
    if (next_ == kWords) refill();
    return {ready_ + next_, kWords - next_};
  }
  void advance(size_t count) { next_ += count; }

 private:
  void refill();
  alignas(64) uint64_t state_[kWords];
  alignas(64) uint64_t ready_[kWords];  // state_, tempered
  size_t next_ = kWords;
};

}  // namespace cantik
