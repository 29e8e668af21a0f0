// The recurrence of the 64-bit Mersenne Twister: x[k + 312] = x[k + 156] ^ twisted(x[k], x[k + 1]).
#pragma once

#include <cstdint>

namespace cantik {

// The upper bits of one word and the lower ones of the next, times the matrix.
inline uint64_t twisted(uint64_t word, uint64_t next) {
  constexpr uint64_t kMatrix = 0xb5026f5aa96619e9, kLower = 0x7fffffff;
  uint64_t y = (word & ~kLower) | (next & kLower);
  return (y >> 1) ^ ((0 - (y & 1)) & kMatrix);
}

}  // namespace cantik
