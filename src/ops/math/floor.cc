// y = the largest whole number that is not above x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(floor) {
  op.signature("floor(arg, name='')")
      .named("arrays", "widest")
      .doc("y = the largest whole number that is not above x")
      .expression([](Real x) { return floor(x); })
      .cntk("Floor", 7)
      .onnx("Floor", 6)
      .sample({{2, 3}});
}
