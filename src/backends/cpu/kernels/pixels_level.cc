// This instruction set's loops over pixels. CMake compiles the file once for each level, with the level's
// flags.
#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/kernels/pixels.h"

namespace cantik::cpu {

namespace CANTIK_LEVEL {
const PixelTable& pixel_level_table();
const PixelTable& pixel_level_table() {
  static constexpr PixelTable t{CANTIK_LEVEL_NAME, widen,   widen_between, colours, across, down,
                                widen_numbers,     to_float};
  return t;
}
}  // namespace CANTIK_LEVEL

}  // namespace cantik::cpu
