// This instruction set's loops over bits. CMake compiles the file once for each level, with the level's
// flags.
#include "backends/cpu/kernels/bits.h"
#include "backends/cpu/kernels/signs.h"
#include "backends/cpu/kernels/turn.h"

#if defined(__AVX512VPOPCNTDQ__)
#define CANTIK_BIT_LEVEL avx512_popcount
#define CANTIK_BIT_LEVEL_NAME "avx512_popcount"
#else
#define CANTIK_BIT_LEVEL CANTIK_LEVEL
#define CANTIK_BIT_LEVEL_NAME CANTIK_LEVEL_NAME
#endif

namespace cantik::cpu {
namespace {

template <class T>
BitKernels<T> make_bit_kernels() {
  return {signs<T>, signs_apart<T>, sum_of_magnitudes<T>, peel<T>, place<T>, turn<T>};
}

}  // namespace

namespace CANTIK_BIT_LEVEL {
const BitTable& bit_level_table();
const BitTable& bit_level_table() {
  static const BitTable t{
      CANTIK_BIT_LEVEL_NAME,     kWordLanes, window, count_bits, make_bit_kernels<float>(),
      make_bit_kernels<double>()};
  return t;
}
}  // namespace CANTIK_BIT_LEVEL

}  // namespace cantik::cpu
