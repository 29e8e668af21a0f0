// Several values as the outputs of one function.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(combine) {
  op.signature("combine(*operands, name='')")
      .doc("A function whose outputs are the operands.")
      .inputs(0, 1 << 20)
      .outputs(0)
      .traits(CANTIK_ALIAS)
      .type([](Infer&) {})
      .cntk("Combine", 44)
      .sample({{2, 3}, {3}});
}
