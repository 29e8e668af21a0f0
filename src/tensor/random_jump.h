// The state of the 64-bit Mersenne Twister after any number of words, without making them.
//
// H. Haramoto et al., Efficient jump ahead for F2-linear random number generators, INFORMS J. on Computing 20
// (2008).
#pragma once

#include <cstdint>

namespace cantik {

// state: the 312 words made last, not tempered; then those made last after `words` further ones.
void jump(uint64_t* state, uint64_t words);

}  // namespace cantik
