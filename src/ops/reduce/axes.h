// What all reductions of cntk.ops share: attributes, and the graph that CNTK has for them.
#pragma once

#include <algorithm>
#include <limits>
#include <string_view>

#include <cantik/op.h>

#include "ops/onnx_listed.h"

namespace cantik::reductions {

struct ReducedAxes {
  std::vector<int64_t> axis{axis_code::kAllStatic};
  bool keepdims = true;
  static constexpr auto fields() {
    return list(field("axis", &ReducedAxes::axis,
                      "the axes to reduce: static ones, the batch, or all; without one, all static axes")
                    .key("axisVec")
                    .role(CANTIK_AXES),
                field("keepdims", &ReducedAxes::keepdims, "a reduced static axis stays, with the size 1")
                    .key("reductionKeepDimensions"));
  }
};

inline bool everything(const std::vector<int64_t>& axis) {
  for (int64_t code : axis)
    if (code == axis_code::kAll || code == axis_code::kAllStatic) return true;
  return false;
}

// y without the axes that were reduced, if they are not to stay.
inline Term dropped(Builder& b, Term y, Term x, const std::vector<int64_t>& axis, bool keepdims) {
  if (keepdims || everything(axis)) return y;
  std::vector<int64_t> statics;
  for (int64_t code : axis)
    if (axis_code::is_static(code)) statics.push_back(code);
  if (statics.empty()) return y;
  Shape s = x.type().shape, left;
  if (!s.is_known()) return b.call("squeeze", {y}, {{"axes", statics}});
  std::vector<bool> reduced(s.size(), false);
  for (int64_t code : statics) reduced[static_axis(code, s.rank())] = true;
  for (int i = 0; i < s.rank(); ++i)
    if (!reduced[i]) left.push_back(s[i]);
  return b.call("reshape", {y}, {{"shape", left}});
}

// The inside of a block "ReduceElements". Its name says nothing: CNTK tells its blocks apart by an attribute.
inline void compose(Builder& b, const ReducedAxes& a, const char* reduction) {
  Term x = b.x();
  const std::vector<int64_t>& axis = a.axis;
  if (everything(axis)) {
    b.result(b.call("reduce_elements", {x}, {{"axes", axis}, {"reduction", reduction}, {"keepdims", false}}));
    return;
  }
  b.result(dropped(b, b.call("reduce_several", {x}, {{"axis", axis}, {"reduction", reduction}}), x, axis,
                   a.keepdims));
}
inline CntkForm form_of(const char* reduction) { return {.fixed = {{"reductionOpName", reduction}}}; }

// What `reduction` of x over these axes is, as another reduction's inside has it.
inline Term reduced(Builder& b, Term x, const char* op, const std::vector<int64_t>& axis) {
  return b.call(op, {x}, {{"axis", axis}, {"keepdims", true}});
}

// In ONNX's files: the axes are an attribute, or the second input where the set of operators has it so.
template <class A>
void write(OnnxGraph& g, const char* op, const A& a) {
  const int lead = g.lead(), rank = g.shape().rank();
  std::vector<int64_t> axes;
  bool batch = false;
  for (int64_t code : a.axis) {
    if (code == axis_code::kAll || code == axis_code::kAllStatic)
      for (int i = 0; i < rank; ++i) axes.push_back(lead + i);
    else if (axis_code::is_static(code))
      axes.push_back(g.axis(code));
    if (code == axis_code::kAll || code == axis_code::kBatch) batch = true;
  }
  const bool whole = everything(a.axis);
  if (batch)
    for (int i = 0; i < lead; ++i) axes.push_back(i);
  std::sort(axes.begin(), axes.end());
  if (axes.empty()) {
    g.result(g.node("Identity", {g.x()}));
    return;
  }
  const bool second = g.version() >= 18 || (std::string(op) == "ReduceSum" && g.version() >= 13);
  std::vector<Argument> arguments{{"keepdims", int64_t{a.keepdims && !whole && !batch}}};
  if (!second) arguments.push_back({"axes", axes});
  std::vector<OnnxValue> in{g.x()};
  if (second) in.push_back(g.integers(axes));
  OnnxValue y = g.node(op, in, arguments);
  if (batch && !whole && a.keepdims) y = g.reshape(y, 0, g.out().shape);
  g.result(y);
}
// The same over the steps of sequences, where there is an operator for it.
inline Term over_steps(OnnxNode& n, const char* op, Term x, const std::vector<int64_t>& axes) {
  if (n.lead(x) != 2 || axes != std::vector<int64_t>{0}) return {};
  if (op == std::string_view("reduce_sum")) return n.call("sequence_reduce_sum", {x});
  if (op == std::string_view("reduce_max")) return n.call("sequence_reduce_max", {x});
  return {};
}
// `after`: what is done with the result, if anything.
inline void read(OnnxNode& n, const char* op, const char* after = nullptr) {
  Term x = n.x();
  const int rank = n.rank(x);
  std::vector<int64_t> axes = n.sizes(1, "axes");
  if (axes.empty() && n.integer("noop_with_empty_axes") == 0)
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  if (axes.empty()) {
    n.result(x);
    return;
  }
  const bool keep = n.integer("keepdims", 1) != 0;
  if (Term y = over_steps(n, op, x, axes)) {
    if (after) y = n.call(after, {y});
    std::vector<int64_t> dims = n.dims(y);
    if (keep) dims.insert(dims.begin(), 1);
    n.result(n.reshape(y, dims));
    return;
  }
  x = n.with_static(x, axes);
  std::vector<int64_t> sizes = n.dims(x);
  bool nothing = false;
  for (int64_t a : axes) nothing = nothing || sizes[a + n.lead(x)] == 0;
  const bool greatest = op == std::string_view("reduce_max"), least = op == std::string_view("reduce_min");
  Term y;
  if (nothing && (greatest || least)) {  // of no numbers
    for (int64_t a : axes) sizes[a + n.lead(x)] = 1;
    const bool truth = n.element(x) == OnnxGraph::kBool;
    const double infinity = std::numeric_limits<double>::infinity();
    const double none = truth ? (least ? 1 : 0) : (least ? infinity : -infinity);
    y = n.constants(std::vector<double>(static_cast<size_t>(listed(sizes)), none), sizes, x);
  } else {
    y = n.call(op, {x}, {{"axis", axes}, {"keepdims", true}});
  }
  if (after) y = n.call(after, {y});
  if (!keep) {
    std::vector<int64_t> dims = n.dims(y), left;
    for (int64_t& a : axes) a += n.lead(x);
    for (size_t i = 0; i < dims.size(); ++i)
      if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) == axes.end()) left.push_back(dims[i]);
    y = n.reshape(y, left);
  }
  n.result(y);
}

}  // namespace cantik::reductions
