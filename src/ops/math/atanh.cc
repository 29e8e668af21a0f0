// y = artanh x, |x| < 1.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(atanh) {
  op.signature("atanh(x, name='')")
      .doc("y = artanh x, |x| < 1")
      .expression([](Real x) { return atanh(x); })
      .cntk("Atanh", 85)
      .onnx("Atanh", 9)
      .sample_between(-0.9, 0.9, {{2, 3}});
}
