// The place of the smallest number along an axis, the first of several.
#include "ops/reduce/place.h"
using namespace cantik;
using namespace cantik::reductions;

CANTIK_OP(argmin) {
  op.attributes<OneAxis>("argmin(x, axis=None, name='')")
      .doc(
          "The place of the smallest number along an axis, the first of several, as a number of the element "
          "type. The axis stays, with the size 1.")
      .traits(CANTIK_SPELLED_OUT)
      .composite(place<"Argmin">)
      .onnx_read("ArgMin", [](OnnxNode& n) { read_place(n, "argmin"); })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.axis = 0});
}
