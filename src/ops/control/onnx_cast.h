// Numbers in another element type of ONNX's.
#pragma once

#include <cantik/op.h>

#include "tensor/element_type.h"

namespace cantik::onnx_cast {

inline Term held(OnnxNode& n, Term x, DType dtype) {
  return n.type(x).dtype == dtype ? x : n.call("cast", {x}, {{"dtype", dtype}});
}

// The node's result, numbers that both types have, as one of ONNX's element type `to`.
inline void result(OnnxNode& n, Term y, int64_t to) {
  n.result(held(n, y, onnx::holder_of(to)));
  n.result_type(0, to);
}

inline Term rounded(OnnxNode& n, Term x, int64_t element, bool saturate = true, int64_t rounding = 0) {
  return n.call("round_to_element", {x},
                {{"element", element}, {"saturate", saturate}, {"rounding", rounding}});
}

// Whole numbers of `to` are a part of those of `from`.
inline bool narrows(int64_t from, int64_t to) {
  if (!onnx::is_whole(from)) return onnx::bits_of(to) < 32;  // real ones beyond 32 bits are nobody's
  const int spare = onnx::has_sign(to) && !onnx::has_sign(from) ? 1 : 0;
  return onnx::bits_of(to) < onnx::bits_of(from) + spare || (onnx::has_sign(from) && !onnx::has_sign(to));
}

// x of its element type as one of `to`.
inline Term converted(OnnxNode& n, Term x, int64_t to, bool saturate = true, int64_t rounding = 0) {
  const int64_t from = n.element(x);
  const DType holder = onnx::holder_of(to);
  if (holder == DType::unknown) OnnxNode::refuse("there are no elements of the type " + std::to_string(to));
  if (to == onnx::kBool) return held(n, n.call("not_equal", {x, n.constant(0, x)}), holder);
  if (!onnx::is_whole(to)) {
    if (from == to) return x;
    x = held(n, x, holder);
    return onnx::small_float(to) ? rounded(n, x, to, saturate && to != onnx::kBfloat16, rounding) : x;
  }
  if (from == to) return x;
  if (n.type(x).dtype == DType::float16) x = held(n, x, DType::float32);
  if (narrows(from, to) && onnx::bits_of(to) < 64)
    x = rounded(n, x, to);
  else if (!onnx::is_whole(from))
    x = n.call("truncate", {x});
  return held(n, x, holder);
}

inline void cast(OnnxNode& n) {
  const int64_t to = n.integer("to");
  const std::string mode = n.text("round_mode", "up");
  const int64_t rounding = to != onnx::kFloat8E8M0 || mode == "nearest" ? 0 : mode == "down" ? 2 : 1;
  n.result(converted(n, n.x(), to, n.integer("saturate", 1) != 0, rounding));
  n.result_type(0, to);
}

inline void cast_like(OnnxNode& n) {
  const int64_t to = n.element(n.x(1));
  n.result(converted(n, n.x(), to, n.integer("saturate", 1) != 0));
  n.result_type(0, to);
}

}  // namespace cantik::onnx_cast
