// y = the sum of the operands, which broadcast.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(sum) {
  op.signature("sum(*operands, name='')")
      .doc("The sum of the operands, element by element; they broadcast.")
      .composite([](Builder& b) {
        Term sum = b.x(0);
        for (int i = 1; i < b.inputs(); ++i) sum = sum + b.x(i);
        b.result(sum);
      })
      .cntk_block("Sum")
      .onnx("Sum", 8)
      .sample({{2, 3}, {2, 3}, {3}});
}
