// y = arccos x, |x| <= 1.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(acos) {
  op.signature("acos(x, name='')")
      .doc("y = arccos x, |x| <= 1")
      .expression([](Real x) { return acos(x); })
      .cntk("Acos", 82)
      .onnx("Acos", 7)
      .sample_between(-0.9, 0.9, {{2, 3}});
}
