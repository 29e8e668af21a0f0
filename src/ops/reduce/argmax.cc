// The place of the largest number along an axis, the first of several.
#include "ops/reduce/place.h"
using namespace cantik;
using namespace cantik::reductions;

CANTIK_OP(argmax) {
  op.attributes<OneAxis>("argmax(x, axis=None, name='')")
      .doc(
          "The place of the largest number along an axis, the first of several, as a number of the element "
          "type. The axis stays, with the size 1.")
      .traits(CANTIK_SPELLED_OUT)
      .composite(place<"Argmax">)
      .onnx_read("ArgMax", [](OnnxNode& n) { read_place(n, "argmax"); })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.axis = 0});
}
