// y = the smallest whole number that is not below x. In graphs and files, -floor(-x).
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(ceil) {
  op.signature("ceil(arg, name='')")
      .named("arrays", "widest")
      .doc("The smallest whole number that is not below x.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b) { b.result(-b.call("floor", {-b.x()})); })
      .onnx("Ceil", 6)
      .sample({{2, 3}});
}
