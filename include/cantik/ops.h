// Typed calls of the operators. Written by tools/generate from the registry: change the operators' files, then run it.
//
//   auto h = relu(times(x, w) + b);
//   auto y = convolution(w, x, {.strides = {2, 2}, .name = "c"});
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include <cantik/axis.h>
#include <cantik/function.h>
#include <cantik/initializer.h>

namespace cantik {

// An axis as an argument: a number, or an Axis.
struct AxisArgument {
  int64_t code;
  AxisArgument(int64_t index) : code(index) {}
  AxisArgument(int index) : code(index) {}
  AxisArgument(const Axis& axis) : code(axis.code()) {}
};

namespace detail {
inline std::vector<int64_t> codes(const std::vector<AxisArgument>& axes) {
  std::vector<int64_t> list;
  for (const AxisArgument& a : axes) list.push_back(a.code);
  return list;
}
}  // namespace detail

// y = x, under another name.
inline Function alias(const Variable& x, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("alias", {x}, {}, name);
}

// 1 where the highest score is not that of the label, else 0.
inline Function classification_error(const Variable& output_vector, const Variable& target_vector, AxisArgument axis = -1, int64_t topN = 1, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("classification_error", {output_vector, target_vector}, {{"axis", axis.code}, {"topN", topN}}, name);
}

// loss = log(sum_i exp z_i) - sum_i label_i z_i: the cross entropy of softmax(z) against the labels.
inline Function cross_entropy_with_softmax(const Variable& output_vector, const Variable& target_vector, AxisArgument axis = -1, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("cross_entropy_with_softmax", {output_vector, target_vector}, {{"axis", axis.code}}, name);
}

// Element by element; the operands broadcast.
inline Function element_times(const Variable& left, const Variable& right, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("element_times", {left, right}, {}, name);
}

// y = e^x.
inline Function exp(const Variable& x, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("exp", {x}, {}, name);
}

// Element by element; the operands broadcast.
inline Function minus(const Variable& left, const Variable& right, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("minus", {left, right}, {}, name);
}

// y = -x.
inline Function negate(const Variable& x, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("negate", {x}, {}, name);
}

// Element by element; the operands broadcast.
inline Function plus(const Variable& left, const Variable& right, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("plus", {left, right}, {}, name);
}

// y = max(x, 0), with the derivative 0 at 0.
inline Function relu(const Variable& x, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("relu", {x}, {}, name);
}

// y = 1 / (1 + exp(-x)).
inline Function sigmoid(const Variable& x, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("sigmoid", {x}, {}, name);
}

// y = tanh x.
inline Function tanh(const Variable& x, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("tanh", {x}, {}, name);
}

// Matrix product over the last axes of left and the first of right; right keeps output_rank axes.
inline Function times(const Variable& left, const Variable& right, int64_t output_rank = 1, int64_t infer_input_rank_to_map = -1, const std::string& name = {}, std::source_location where = std::source_location::current()) {
  OriginScope scope(where);
  return call("times", {left, right}, {{"output_rank", output_rank}, {"infer_input_rank_to_map", infer_input_rank_to_map}}, name);
}

inline Function operator+(const Variable& a, const Variable& b) { return call("plus", {a, b}); }
inline Function operator-(const Variable& a, const Variable& b) { return call("minus", {a, b}); }
inline Function operator*(const Variable& a, const Variable& b) { return call("element_times", {a, b}); }
inline Function operator-(const Variable& a) { return call("negate", {a}); }

}  // namespace cantik
