// y = x, under another name.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(alias) {
  op.signature("alias(x, name='')")
      .doc("The operand, under another name.")
      .traits(CANTIK_ALIAS | CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.in(0)); })
      .cntk("NoOp", 62)
      .keeps_pixels()
      .onnx("Identity", 1)
      .onnx_read("Identity", [](OnnxNode& n) { n.result(n.x()); })
      .sample({{2, 3}});
}
