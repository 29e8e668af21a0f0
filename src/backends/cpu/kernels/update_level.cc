// This instruction set's loops of updates. CMake compiles the file once for each level, with the level's
// flags, but rounds every product: a learner that a user writes with arrays then has the bits of the built-in
// one.
#include "backends/cpu/kernels/simd.h"
#include "backends/cpu/kernels/updates.h"

namespace cantik::cpu {

namespace CANTIK_LEVEL {
void fill_updates(Kernels<float>& k);
void fill_updates(Kernels<double>& k);
void fill_updates(Kernels<float>& k) { fill_update_loops(k, UpdateFormulas()); }
void fill_updates(Kernels<double>& k) { fill_update_loops(k, UpdateFormulas()); }
}  // namespace CANTIK_LEVEL

}  // namespace cantik::cpu
