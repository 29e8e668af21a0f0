// y = arcsin x, |x| <= 1.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(asin) {
  op.signature("asin(x, name='')")
      .doc("y = arcsin x, |x| <= 1")
      .expression([](Real x) { return asin(x); })
      .cntk("Asin", 81)
      .onnx("Asin", 7)
      .sample_between(-0.9, 0.9, {{2, 3}});
}
