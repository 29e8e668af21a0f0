// y = sinh x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(sinh) {
  op.signature("sinh(x, name='')")
      .doc("y = sinh x")
      .expression([](Real x) { return sinh(x); })
      .cntk("Sinh", 77)
      .onnx("Sinh", 9)
      .sample({{2, 3}});
}
