// ONNX's NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss: of scores [n, classes, places...] and the
// classes that are right, [n, places...].
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cantik/op.h>

namespace cantik::onnx_losses {

// The classes as the last axis, and back to the second.
inline Term classes_last(OnnxNode& n, Term x, bool back) {
  const std::vector<int64_t> dims = n.dims(x);
  const auto rank = static_cast<int64_t>(dims.size());
  std::vector<int64_t> perm{0}, made;
  if (back) perm.push_back(rank - 1);
  for (int64_t i = back ? 1 : 2; i < rank - (back ? 1 : 0); ++i) perm.push_back(i);
  if (!back) perm.push_back(1);
  for (int64_t axis : perm) made.push_back(dims[axis]);
  return n.with_dims(n.call("transpose", {x}, {{"perm", perm}}), made);
}

// -weight log p of the right class at each place; those of the class to ignore count for nothing.
inline Term loss_of(OnnxNode& n, Term logs) {
  const Term right = n.plain(n.x(1));
  const std::vector<int64_t> dims = n.dims(logs), places(dims.begin(), dims.end() - 1);
  const int64_t classes = dims.back();
  if (classes < 1) OnnxNode::refuse("the number of classes is known in a run only");
  Term chosen = n.call("one_hot", {right}, {{"num_classes", classes}, {"axis", int64_t{-1}}});
  if (chosen.type().dtype != logs.type().dtype)
    chosen = n.call("cast", {chosen}, {{"dtype", logs.type().dtype}});
  if (n.given("ignore_index")) {
    const double ignored = static_cast<double>(n.integer("ignore_index"));
    std::vector<int64_t> column = places;
    column.push_back(1);
    Term counts = n.call("not_equal", {right, n.constant(ignored, right)});
    if (counts.type().dtype != logs.type().dtype)
      counts = n.call("cast", {counts}, {{"dtype", logs.type().dtype}});
    chosen = chosen * n.reshape(counts, column);
  }
  if (n.has(2)) chosen = chosen * n.plain(n.x(2));
  auto over = [&](Term t, int64_t axis) {
    return n.call("reduce_elements", {t}, {{"axis", axis}, {"reduction", "Sum"}, {"keepdims", false}});
  };
  // a logarithm of 0 that is not chosen is nothing
  const Term zero = n.constant(0, logs);
  const Term picked = n.call("element_select", {chosen, logs * chosen, zero});
  const std::string reduction = n.text("reduction", "mean");
  if (reduction == "none") return n.with_dims(-over(picked, -1), places);
  const Term all = over(picked, axis_code::kAllStatic);
  if (reduction == "sum") return -all;
  if (reduction != "mean") OnnxNode::refuse("its reduction is " + reduction);
  return -n.call("ieee_divide", {all, over(chosen, axis_code::kAllStatic)});
}

inline void read_log_likelihood(OnnxNode& n) {
  n.result(loss_of(n, classes_last(n, n.plain(n.x(0)), false)));
}

inline void read_cross_entropy(OnnxNode& n) {
  const Term scores = classes_last(n, n.plain(n.x(0)), false);
  const Term logs = n.with_dims(n.call("log_softmax", {scores}, {{"axis", int64_t{-1}}}), n.dims(scores));
  n.result(0, loss_of(n, logs));
  if (n.outputs() > 1) n.result(1, classes_last(n, logs, true));
}

}  // namespace cantik::onnx_losses
