// y = 1 at the largest number of a sample, the first of several, else 0.
#include <cantik/op.h>

#include "backends/cpu/line_kernels.h"

using namespace cantik;

CANTIK_OP(hardmax) {
  op.signature("hardmax(x, name='')")
      .doc("1 at the largest number of a sample, the first of several, else 0. The gradient is 0.")
      .traits(CANTIK_ROW_WISE | CANTIK_NO_GRADIENT)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .kernel("lines",
              [](const Prepare& p, const NoAttributes&) {
                return cpu::make_lines(p, cpu::Lines::hardmax, p.in(0).shape.elements());
              })
      .cntk("Hardmax", 11)
      .named("test.gradient", "zero by definition")
      .sample({{4}});
}
