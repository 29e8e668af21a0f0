// y = tan x.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(tan) {
  op.signature("tan(x, name='')")
      .doc("y = tan x")
      .expression([](Real x) { return tan(x); })
      .cntk("Tan", 95)
      .onnx("Tan", 7)
      .sample_between(-1.2, 1.2, {{2, 3}});
}
