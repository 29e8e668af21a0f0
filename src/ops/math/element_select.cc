// y = value_if_true where flag is not 0, value_if_false elsewhere.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_select) {
  op.signature("element_select(flag, value_if_true, value_if_false, name='')")
      .doc(
          "value_if_true where flag is not 0, value_if_false elsewhere; the operands broadcast. The flag has "
          "no gradient.")
      .expression([](Real flag, Real a, Real b) { return select(flag, a, b); })
      .cntk("Select", 42)
      .sample({{2, 3}, {2, 3}, {2, 3}})
      .sample({{3}, {2, 3}, {2, 1}});
}
