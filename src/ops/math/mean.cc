// y = the mean of the operands, which broadcast.
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(mean) {
  op.signature("mean(*operands, name='')")
      .doc("The mean of the operands, element by element; they broadcast.")
      .composite([](Builder& b) {
        Term sum = b.x(0);
        for (int i = 1; i < b.inputs(); ++i) sum = sum + b.x(i);
        b.result(b.call("element_divide", {sum, b.constant(b.inputs(), sum)}));
      })
      .cntk_block("Mean")
      .onnx("Mean", 8)
      .sample({{2, 3}, {2, 3}, {3}});
}
