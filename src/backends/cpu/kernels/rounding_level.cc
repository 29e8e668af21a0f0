// This instruction set's loops that round every product. CMake compiles the file once for each level, with
// the level's flags but for contraction: a learner that a user writes with arrays has the bits of the
// built-in one, and a chain has the bits of its steps one by one.
#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/kernels/pairs.h"
#include "backends/cpu/kernels/updates.h"

namespace cantik::cpu {

namespace CANTIK_LEVEL {
template <class T>
void fill_rounding(Kernels<T>& k) {
  fill_pairs(k);
  fill_update_loops(k, UpdateFormulas());
}
template void fill_rounding(Kernels<float>& k);
template void fill_rounding(Kernels<double>& k);
}  // namespace CANTIK_LEVEL

}  // namespace cantik::cpu
