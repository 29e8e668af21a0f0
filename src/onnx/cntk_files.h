// Models that CNTK 2.7 wrote: where its nodes mean something else than ONNX says.
#pragma once

#include "onnx/model.h"

namespace cantik::onnx {

// Nodes of CNTK's, also those of graphs inside of nodes, become nodes that mean the same in ONNX.
void say_in_onnx_terms(GraphRecord& graph);

}  // namespace cantik::onnx
