// ONNX's quantized forms. Whole numbers are real ones here, which hold them exactly up to 2^24: products and
// convolutions of 8 bits are sums of real numbers, and scales are applied to the sums.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <cantik/op.h>

#include "ops/linalg/onnx_matmul.h"
#include "ops/nn/onnx_convolution.h"

namespace cantik::onnx_quantized {

// Numbers of element types in ONNX's files.
constexpr int64_t kUint8 = 2, kInt8 = 3, kUint16 = 4, kInt16 = 5, kInt32 = 6;

// The least and the greatest number of a type.
inline std::pair<int64_t, int64_t> bounds(int64_t type) {
  switch (type) {
    case kUint8: return {0, 255};
    case kInt8: return {-128, 127};
    case kUint16: return {0, 65535};
    case kInt16: return {-32768, 32767};
    default: OnnxNode::refuse("it makes numbers of another type than 8 or 16 bits");
  }
}

// A scale or a zero point: one for all, or one for each place along an axis of a value of this rank. Whole
// numbers are float32 here, and so are their scales.
inline Term along(OnnxNode& n, Term s, int64_t axis, int rank) {
  const std::vector<int64_t> dims = n.dims(s);
  if (s.type().dtype == DType::float16) s = n.call("cast", {s}, {{"dtype", DType::float32}});
  if (dims.empty()) return s;
  if (dims.size() > 1) OnnxNode::refuse("its scales are those of blocks");
  if (dims[0] == 1) return n.reshape(s, {});
  std::vector<int64_t> column(static_cast<size_t>(rank - OnnxNode::axis_of(axis, rank)), 1);
  column[0] = dims[0];
  return n.reshape(s, column);
}

// round(x / scale) + zero point, within the bounds of a type.
inline Term quantized(OnnxNode& n, Term x, Term scale, Term zero, int64_t type) {
  const auto [least, greatest] = bounds(type);
  std::vector<Term> in{x, scale};
  if (zero) in.push_back(zero);
  return n.call_all("quantize_linear", in, {{"least", least}, {"greatest", greatest}}, 1)[0];
}

// x less its zero point, which is input i if it is there.
inline Term centred(OnnxNode& n, Term x, int i, int64_t axis) {
  return n.has(i) ? x - along(n, n.x(i), axis, n.rank(x)) : x;
}

// The value with its axis of scales as a static one.
inline Term with_axis(OnnxNode& n, Term x, int scale, int64_t axis) {
  const std::vector<int64_t> dims = n.dims(n.x(scale));
  const bool one = dims.empty() || (dims.size() == 1 && dims[0] == 1);
  return !one && OnnxNode::axis_of(axis, n.rank(x)) < n.lead(x) ? n.plain(x) : x;
}

inline void quantize(OnnxNode& n) {
  if (n.integer("block_size")) OnnxNode::refuse("its scales are those of blocks");
  const int64_t axis = n.integer("axis", 1), said = n.integer("output_dtype"),
                type = n.has(2) ? n.element(n.x(2))
                       : said   ? said
                                : kUint8;
  const Term x = with_axis(n, n.x(0), 1, axis);
  const int rank = n.rank(x);
  n.result(n.with_dims(
      quantized(n, x, along(n, n.x(1), axis, rank), n.has(2) ? along(n, n.x(2), axis, rank) : Term(), type),
      n.dims(x)));
  n.result_type(0, type);
}

inline void dequantize(OnnxNode& n) {
  if (n.integer("block_size")) OnnxNode::refuse("its scales are those of blocks");
  const int64_t axis = n.integer("axis", 1);
  const Term x = with_axis(n, n.x(0), 1, axis);
  n.result(n.with_dims(centred(n, x, 2, axis) * along(n, n.x(1), axis, n.rank(x)), n.dims(x)));
  n.result_type(0, n.element(n.x(1)));
}

// 8 bits between the least and the greatest number of all.
inline void quantize_by_range(OnnxNode& n) {
  const Term x = n.plain(n.x(0)), none = n.constant(0, x), steps = n.constant(255, x);
  auto of_all = [&](const char* reduction) {
    return n.call("reduce_elements", {x},
                  {{"axis", axis_code::kAllStatic}, {"reduction", reduction}, {"keepdims", false}});
  };
  const Term least = n.call("element_min", {of_all("Min"), none}),
             greatest = n.call("element_max", {of_all("Max"), none});
  const Term range = n.call("ieee_divide", {greatest - least, steps});
  const Term scale = range + n.call("equal", {range, none});  // of zeros alone: 1
  const Term zero = quantized(n, -least, scale, Term(), kUint8);
  n.result(0, n.with_dims(quantized(n, x, scale, zero, kUint8), n.dims(x)));
  n.result(1, scale);
  n.result(2, zero);
  n.result_type(0, kUint8);
  n.result_type(1, n.element(n.x(0)));
  n.result_type(2, kUint8);
}

// Rows of the first operand and columns of the second may have scales of their own.
inline void matmul_integers(OnnxNode& n) {
  n.result(onnx_matmul::product(n, centred(n, n.x(0), 2, -2), centred(n, n.x(1), 3, -1)));
  n.result_type(0, kInt32);
}

inline void matmul(OnnxNode& n) {
  const Term a = with_axis(n, n.x(0), 1, -2), b = n.x(3);
  const Term sum = onnx_matmul::product(n, centred(n, a, 2, -2), centred(n, b, 5, -1));
  const int64_t type = n.element(n.x(7));
  const Term scale = along(n, n.x(1), -2, n.rank(a)) * along(n, n.x(4), -1, n.rank(b));
  n.result(
      n.with_dims(quantized(n, sum * scale, along(n, n.x(6), -1, n.rank(sum)), n.x(7), type), n.dims(sum)));
  n.result_type(0, type);
}

inline void convolve_integers(OnnxNode& n) {
  n.result(onnx_convolution::convolve(n, centred(n, n.x(0), 2, 1), centred(n, n.x(1), 3, 0), Term()));
  n.result_type(0, kInt32);
}

inline void convolve(OnnxNode& n) {
  const Term w = n.x(3);
  const Term sum = onnx_convolution::convolve(n, centred(n, n.x(0), 2, 1), centred(n, w, 5, 0),
                                              n.has(8) ? n.x(8) : Term());
  const int64_t type = n.element(n.x(7));
  // a filter's scale is that of a channel of the result
  const Term scale = n.x(1) * along(n, n.x(4), 1, n.rank(sum));
  n.result(n.with_dims(quantized(n, sum * scale, n.x(6), n.x(7), type), n.dims(sum)));
  n.result_type(0, type);
}

}  // namespace cantik::onnx_quantized
