// ONNX's quantized forms. Whole numbers are real ones here, which hold them exactly up to 2^24: products and
// convolutions of 8 bits are sums of real numbers, and scales are applied to the sums.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <cantik/op.h>

#include "ops/control/onnx_cast.h"
#include "ops/linalg/onnx_matmul.h"
#include "ops/nn/onnx_convolution.h"

namespace cantik::onnx_quantized {

using onnx::kInt32;
using onnx::kUint8;

// The least and the greatest number of a type of whole numbers.
inline std::pair<int64_t, int64_t> bounds(int64_t type) {
  const int bits = onnx::bits_of(type);
  if (!onnx::is_whole(type) || bits > 16) OnnxNode::refuse("it makes whole numbers of more than 16 bits");
  if (onnx::has_sign(type)) return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
  return {0, (int64_t{1} << bits) - 1};
}

// A scale or a zero point: one for all, or one for each place along an axis of a value of this rank. Whole
// numbers are float32 here, and so are their scales.
inline Term along(OnnxNode& n, Term s, int64_t axis, int rank) {
  const std::vector<int64_t> dims = n.dims(s);
  if (s.type().dtype == DType::float16) s = n.call("cast", {s}, {{"dtype", DType::float32}});
  if (dims.empty()) return s;
  if (dims.size() > 1) OnnxNode::refuse("its scales have several axes");
  if (dims[0] == 1) return n.reshape(s, {});
  std::vector<int64_t> column(static_cast<size_t>(rank - OnnxNode::axis_of(axis, rank)), 1);
  column[0] = dims[0];
  return n.reshape(s, column);
}

// Scales of blocks: along an axis one for so many places. Each is repeated to the size of the operand.
inline Term of_blocks(OnnxNode& n, Term s, int64_t axis, int64_t block, const std::vector<int64_t>& whole) {
  const auto at = static_cast<size_t>(OnnxNode::axis_of(axis, static_cast<int>(whole.size())));
  std::vector<int64_t> dims = n.dims(n.plain(s)), ones(dims.size() + 1, 1);
  for (int64_t d : dims)
    if (d < 0) OnnxNode::refuse("the scales of blocks have sizes that only a run knows");
  if (dims.size() != whole.size() || dims[at] * block < whole[at])
    throw value_failure("the scales of blocks do not cover the operand");
  if (s.type().dtype == DType::float16) s = n.call("cast", {s}, {{"dtype", DType::float32}});
  std::vector<int64_t> apart = dims;
  apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(at) + 1, 1);
  ones[at + 1] = block;
  Term wide = n.reshape(n.plain(s), apart) *
              n.constants(std::vector<double>(static_cast<size_t>(block), 1.0), ones, s);
  dims[at] *= block;
  wide = n.reshape(wide, dims);
  if (dims[at] == whole[at]) return wide;
  const std::vector<int64_t> axes{static_cast<int64_t>(at)}, begin{0}, end{whole[at]};
  return n.call("slice", {wide}, {{"axis", axes}, {"begin_index", begin}, {"end_index", end}});
}

// round(x / scale) + zero point, within the bounds of a type; real numbers of a type without zero points are
// rounded to it.
inline Term quantized(OnnxNode& n, Term x, Term scale, Term zero, int64_t type) {
  if (onnx::small_float(type)) return onnx_cast::rounded(n, n.call("ieee_divide", {x, scale}), type);
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

// The operand, with scales and zero points (input 1 and 2) that broadcast to it.
struct Scaled {
  Term x, scale, zero;
};
inline Scaled scaled(OnnxNode& n) {
  const int64_t axis = n.integer("axis", 1), block = n.integer("block_size");
  Scaled s;
  s.x = block ? n.plain(n.x(0)) : with_axis(n, n.x(0), 1, axis);
  const int rank = n.rank(s.x);
  const std::vector<int64_t> dims = n.dims(s.x);
  auto each = [&](int i) {
    return block ? of_blocks(n, n.x(i), axis, block, dims) : along(n, n.x(i), axis, rank);
  };
  s.scale = each(1);
  if (n.has(2)) s.zero = each(2);
  return s;
}

inline void quantize(OnnxNode& n) {
  const int64_t said = n.integer("output_dtype"), type = n.has(2) ? n.element(n.x(2))
                                                         : said   ? said
                                                                  : int64_t{kUint8};
  const Scaled s = scaled(n);
  n.result(n.with_dims(quantized(n, s.x, s.scale, s.zero, type), n.dims(s.x)));
  n.result_type(0, type);
}

inline void dequantize(OnnxNode& n) {
  const Scaled s = scaled(n);
  const int64_t said = n.integer("output_dtype"), type = said ? said : n.element(n.x(1));
  Term y = (s.zero ? s.x - s.zero : s.x) * s.scale;
  n.result(n.with_dims(onnx_cast::held(n, y, onnx::holder_of(type)), n.dims(s.x)));
  n.result_type(0, type);
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
