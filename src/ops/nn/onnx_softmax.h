// Softmax and its logarithm in ONNX's files: up to version 12 they go over all axes from one on, then over
// that axis alone.
#pragma once

#include <string_view>

#include <cantik/op.h>

namespace cantik {

// Reads a node as the operator `op`, softmax or log_softmax.
inline void read_axis_softmax(OnnxNode& n, const char* op) {
  Term x = n.x();
  const std::vector<int64_t> dims = n.dims(x);
  const int rank = static_cast<int>(dims.size());
  int64_t axis = n.axis_of(n.integer("axis", n.version() < 13 ? 1 : -1), rank);
  const bool several = n.version() < 13 && axis != rank - 1;
  if (!several && axis == 0 && n.lead(x) == 2 && op == std::string_view("softmax")) {
    n.result(n.call("sequence_softmax", {x}));  // over the steps of each sequence
    return;
  }
  if (!several) {
    x = n.with_static(x, axis);
    n.result(n.with_dims(n.call(op, {x}, {{"axis", axis}}), dims));
    return;
  }
  if (axis < n.lead(x)) x = n.plain(x);
  std::vector<int64_t> flat(dims.begin(), dims.begin() + axis);
  flat.push_back(-1);
  Term y = n.call(op, {n.reshape(x, flat)}, {{"axis", axis - n.lead(x)}});
  n.result(n.reshape(y, dims));
}

}  // namespace cantik
