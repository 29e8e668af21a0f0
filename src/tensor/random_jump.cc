// All bits of the words x[k] of the twister obey one linear recurrence over GF(2), with the same
// coefficients: a polynomial P of degree 19937. With R = z^n mod P, x[k + n] is the exclusive or of those x[k
// + i] for which R has the term z^i.
#include "tensor/random_jump.h"

#include <array>
#include <bit>
#include <vector>

#include "tensor/random_engine.h"
#include "tensor/random_twist.h"

namespace cantik {
namespace {

constexpr size_t kJumpWords = Mt19937_64::kWords, kJumpHalf = kJumpWords / 2, kDegree = 19937,
                 kCells = kDegree / 64 + 1;

using Polynomial = std::vector<uint64_t>;  // bit i: the coefficient of z^i

bool bit(const Polynomial& p, size_t i) { return p[i / 64] >> (i % 64) & 1; }

// to += from * z^shift
void add_shifted(Polynomial& to, const Polynomial& from, size_t shift) {
  const size_t cells = shift / 64, bits = shift % 64;
  for (size_t i = 0; i < from.size() && i + cells < to.size(); ++i) {
    to[i + cells] ^= from[i] << bits;
    if (bits && i + cells + 1 < to.size()) to[i + cells + 1] ^= from[i] >> (64 - bits);
  }
}

// The words that follow `state`, itself among them.
std::vector<uint64_t> words_from(const uint64_t* state, size_t count) {
  std::vector<uint64_t> x(state, state + kJumpWords);
  x.resize(count);
  for (size_t k = 0; k + kJumpWords < count; ++k)
    x[k + kJumpWords] = x[k + kJumpHalf] ^ twisted(x[k], x[k + 1]);
  return x;
}

// P, from the lowest bits of some words (Berlekamp and Massey). The polynomial of a shift register counts
// from the other end.
Polynomial make_characteristic() {
  std::array<uint64_t, kJumpWords> seed;
  for (size_t i = 0; i < kJumpWords; ++i) seed[i] = 6364136223846793005u * (i + 1);
  const std::vector<uint64_t> x = words_from(seed.data(), 2 * kDegree + 2);
  Polynomial now(kCells), before(kCells), past(kCells);  // past: bit i is the sequence's bit i steps ago
  now[0] = before[0] = 1;
  size_t length = 0, since = 1;
  for (size_t k = 1; k < x.size(); ++k) {  // the lowest bits of the first word are not part of the state
    for (size_t i = kCells; i-- > 1;) past[i] = past[i] << 1 | past[i - 1] >> 63;
    past[0] = past[0] << 1 | (x[k] & 1);
    uint64_t differs = 0;
    for (size_t i = 0; i < kCells; ++i) differs ^= now[i] & past[i];
    if (std::popcount(differs) % 2 == 0) {
      ++since;
      continue;
    }
    Polynomial old = now;
    add_shifted(now, before, since);
    if (2 * length < k) {
      length = k - length;
      before = std::move(old);
      since = 0;
    }
    ++since;
  }
  Polynomial p(kCells);
  for (size_t i = 0; i <= kDegree; ++i)
    if (bit(now, i)) p[(kDegree - i) / 64] |= uint64_t{1} << ((kDegree - i) % 64);
  return p;
}

// Squares, and a multiplication by z for each bit of n.
Polynomial power_of_z(uint64_t n, const Polynomial& p) {
  std::vector<Polynomial> shifted(64, Polynomial(kCells + 1));  // p * z^i
  for (size_t i = 0; i < 64; ++i) add_shifted(shifted[i], p, i);
  Polynomial r(2 * kCells), square(2 * kCells);
  r[0] = 1;
  auto reduce = [&](Polynomial& a, size_t top) {
    for (size_t i = top; i >= kDegree; --i)
      if (bit(a, i)) {
        const size_t at = (i - kDegree) / 64;
        const Polynomial& s = shifted[(i - kDegree) % 64];
        for (size_t k = 0; k <= kCells && at + k < a.size(); ++k) a[at + k] ^= s[k];
      }
  };
  auto spread = [](uint64_t half) {  // 32 bits, each followed by a zero
    uint64_t b = half;
    b = (b | b << 16) & 0x0000ffff0000ffff;
    b = (b | b << 8) & 0x00ff00ff00ff00ff;
    b = (b | b << 4) & 0x0f0f0f0f0f0f0f0f;
    b = (b | b << 2) & 0x3333333333333333;
    return (b | b << 1) & 0x5555555555555555;
  };
  for (int i = 63 - std::countl_zero(n); i >= 0; --i) {
    for (size_t k = 0; k < kCells; ++k)
      square[2 * k] = spread(r[k] & 0xffffffff), square[2 * k + 1] = spread(r[k] >> 32);
    reduce(square, 2 * kDegree);
    std::swap(r, square);
    if (n >> i & 1) {
      for (size_t k = kCells; k-- > 1;) r[k] = r[k] << 1 | r[k - 1] >> 63;
      r[0] <<= 1;
      reduce(r, kDegree);
    }
  }
  return r;
}

}  // namespace

void jump(uint64_t* state, uint64_t words) {
  if (words == 0) return;
  static const Polynomial characteristic = make_characteristic();
  // from the second word on: the first one has bits that are not part of the state
  const Polynomial r = power_of_z(words - 1, characteristic);
  const std::vector<uint64_t> x = words_from(state, kDegree + kJumpWords + 1);
  std::array<uint64_t, kJumpWords> made{};
  for (size_t i = 0; i < kDegree; ++i)
    if (bit(r, i))
      for (size_t k = 0; k < kJumpWords; ++k) made[k] ^= x[1 + i + k];
  for (size_t k = 0; k < kJumpWords; ++k) state[k] = made[k];
}

}  // namespace cantik
