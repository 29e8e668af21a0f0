// 1 where x is not above 0, else 0.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(element_not) {
  op.signature("element_not(x, name='')")
      .doc("1 where x is not above 0, else 0.")
      .expression([](Real x) { return -(x > 0) + 1; })
      .cntk_block("Not")
      .sample({{2, 3}});
}
