// ONNX's RotaryEmbedding (Su et al. 2021): pairs of numbers of a head are turned by an angle that its step
// says.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <cantik/op.h>

#include "ops/nn/onnx_attention.h"

namespace cantik::onnx_rotary {

// Every so many numbers of the last axis, from one on up to another.
inline Term cut(OnnxNode& n, Term x, int64_t begin, int64_t end, int64_t step) {
  std::vector<int64_t> dims = n.dims(x);
  dims.back() = (end - begin + step - 1) / step;
  const std::vector<int64_t> axis{-1}, from{begin}, to{end}, by{step};
  return n.with_dims(
      n.call("slice", {x}, {{"axis", axis}, {"begin_index", from}, {"end_index", to}, {"strides", by}}),
      dims);
}

inline Term joined(OnnxNode& n, Term a, Term b) {
  std::vector<int64_t> dims = n.dims(a);
  dims.back() += n.dims(b).back();
  return n.with_dims(n.call_all("splice", {a, b}, {{"axis", int64_t{-1}}}, 1)[0], dims);
}

// Cosines or sines of each step: [batch, steps, 1, half].
inline Term of_steps(OnnxNode& n, Term table, const std::vector<int64_t>& x, int64_t half) {
  if (n.has(3)) {
    const Term places = n.lead(n.x(0)) == 0 ? n.plain(n.x(3)) : n.x(3);
    table = n.with_dims(n.call("gather", {n.plain(table), places}), {x[0], x[1], half});
  }
  return n.reshape(table, {n.dims(table)[0], x[1], 1, half});
}

inline void read(OnnxNode& n) {
  Term x = n.x(0);
  const std::vector<int64_t> given = n.dims(x);
  const bool flat = given.size() == 3;
  if (flat) {
    const int64_t heads = n.integer("num_heads");
    if (heads < 1 || given[2] < 1 || given[2] % heads != 0)
      throw value_failure("its heads have to share out the last axis");
    x = n.reshape(x, {given[0], given[1], heads, given[2] / heads});
  } else if (given.size() == 4) {
    x = onnx_attention::permuted(n, x, {0, 2, 1, 3});
  } else {
    throw value_failure("it needs an operand of three or four axes");
  }
  const std::vector<int64_t> dims = n.dims(x);
  const int64_t said = n.integer("rotary_embedding_dim"), turned = said > 0 ? said : dims[3],
                half = turned / 2;
  if (turned < 2 || turned > dims[3]) throw value_failure("it turns more numbers than a head has");
  const Term c = of_steps(n, n.x(1), dims, half), s = of_steps(n, n.x(2), dims, half);
  const bool pairs = n.integer("interleaved") != 0;
  const Term first = cut(n, x, 0, pairs ? turned - 1 : half, pairs ? 2 : 1),
             second = cut(n, x, pairs ? 1 : half, turned, pairs ? 2 : 1);
  std::vector<int64_t> part = dims;
  part[3] = half;
  const Term a = n.with_dims(first * c - second * s, part), b = n.with_dims(first * s + second * c, part);
  Term y;
  if (pairs) {  // one beside the other
    const std::vector<int64_t> column{dims[0], dims[1], dims[2], half, 1};
    y = n.reshape(joined(n, n.reshape(a, column), n.reshape(b, column)), {dims[0], dims[1], dims[2], turned});
  } else {
    y = joined(n, a, b);
  }
  if (turned < dims[3]) y = joined(n, y, cut(n, x, turned, dims[3], 1));
  n.result(flat ? n.reshape(y, given) : onnx_attention::permuted(n, y, {0, 2, 1, 3}));
}

}  // namespace cantik::onnx_rotary
