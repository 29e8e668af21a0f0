// y = cosh x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(cosh) {
  op.signature("cosh(x, name='')")
      .doc("y = cosh x")
      .expression([](Real x) { return cosh(x); })
      .cntk("Cosh", 78)
      .onnx("Cosh", 9)
      .sample({{2, 3}});
}
