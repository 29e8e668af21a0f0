// Normal numbers by the ziggurat method, bit for bit those of CNTK 2.7, which had them from Boost.Random of
// its time. (Boost of today draws other numbers in the tails, and only there.)
//
// G. Marsaglia, W. W. Tsang, The ziggurat method for generating random variables, J. Stat. Softw. 5(8), 2000.
// J. A. Doornik, An improved ziggurat method to generate normal random samples, 2005.
#pragma once

#include <bit>
#include <cstdint>

#include "tensor/random_engine.h"

namespace cantik {

// 128 layers of equal area under f(x) = exp(-x^2 / 2). Layer i is x[i] wide and, up to x[i + 1], lies wholly
// under f; it reaches from y[i] = f(x[i]) to y[i + 1]. Layer 0 goes with the tail beyond x[1]: x[0] is the
// width of a rectangle of its area.
struct Ziggurat {
  static constexpr int kLayers = 128;
  double x[kLayers + 1], y[kLayers + 1];
};
const Ziggurat& normal_ziggurat();  // computed at first use

// A word as a number in [0, 1], rounded to nearest: only the topmost 1024 words of all give 1.
inline double fraction(uint64_t word) { return static_cast<double>(word) * 0x1p-64; }

// The same from the upper 56 bits, where the lower 8 choose the layer. Boost clears bit 11 of the word, and
// so do we.
inline double upper_fraction(uint64_t word) {
  return static_cast<double>(static_cast<int64_t>((word & ~uint64_t{0x800}) >> 8)) * 0x1p-56;
}

// A number in [0, 1), by drawing again where it rounds to 1.
inline double draw_fraction(Mt19937_64& engine) {
  double u;
  do u = fraction(engine());
  while (u >= 1);
  return u;
}

// The lowest bit of a word chooses the sign, without a branch: set means positive.
inline double with_sign_of(double x, uint64_t word) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) ^ (~word << 63));
}

// The first step of a normal draw, from one word. In 99 of 100 cases it decides; otherwise
// normal_slowly(word) goes on from there.
inline double normal_candidate(const Ziggurat& z, uint64_t word, bool& decided) {
  uint64_t layer = (word >> 1) & 127;
  double x = upper_fraction(word) * z.x[layer];
  decided = x < z.x[layer + 1];
  return with_sign_of(x, word);
}
double normal_slowly(uint64_t word, Mt19937_64& engine);

inline double draw_normal(Mt19937_64& engine) { return normal_slowly(engine(), engine); }

}  // namespace cantik
