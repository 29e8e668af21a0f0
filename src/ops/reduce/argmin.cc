// The place of the smallest number along an axis, the first of several.
#include <vector>

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
      .onnx_read("ArgMin",
                 [](OnnxNode& n) {
                   if (n.integer("select_last_index"))
                     OnnxNode::refuse("it takes the last of several places");
                   int64_t axis = n.integer("axis");
                   const int at = n.axis_of(axis, n.rank(n.x()));
                   Term x = n.with_static(n.x(), axis);
                   Term y = n.call("argmin", {x}, {{"axis", axis}});
                   if (n.integer("keepdims", 1) == 0) {
                     std::vector<int64_t> dims = n.dims(n.x());
                     dims.erase(dims.begin() + at);
                     y = n.reshape(y, dims);
                   }
                   n.result(y);
                   n.result_type(0, OnnxGraph::kInt64);
                 })
      .sample({{2, 3}})
      .sample({{2, 3}}, {.axis = 0});
}
