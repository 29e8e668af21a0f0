#include "onnx/cntk_files.h"

#include <cstdint>
#include <string_view>

namespace cantik::onnx {
namespace {

// CNTK's own slices end at 0 where they go on to the end of an axis, and it writes that number as it is. Its
// slices take at least one position: the end 0 has no other meaning.
void end_slice(NodeRecord& n) {
  for (AttributeRecord& a : n.attributes)
    if (a.name == "ends")
      for (int64_t& end : a.integers)
        if (end == 0) end = INT64_MAX;
}

}  // namespace

void say_in_onnx_terms(GraphRecord& graph) {
  for (NodeRecord& n : graph.nodes) {
    if (n.op == "Slice" && n.domain.empty()) end_slice(n);
    for (AttributeRecord& a : n.attributes)
      for (GraphRecord& inside : a.graphs) say_in_onnx_terms(inside);
  }
}

}  // namespace cantik::onnx
