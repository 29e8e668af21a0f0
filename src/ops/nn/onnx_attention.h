// ONNX's Attention (Vaswani et al. 2017): softmax(scale Q K^T + bias) V for every head, where the bias is 0
// or minus infinity for keys that a query does not see. Values are [batch, heads, steps, size] inside.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <cantik/op.h>

namespace cantik::onnx_attention {

constexpr double kNever = -INFINITY;

// Axes in another order, ONNX's first axis included, which stays where it is.
inline Term permuted(OnnxNode& n, Term x, const std::vector<int64_t>& order) {
  const int lead = n.lead(x);
  std::vector<int64_t> perm, dims = n.dims(x), made;
  for (int64_t axis : order) made.push_back(dims[axis]);
  for (size_t i = static_cast<size_t>(lead); i < order.size(); ++i) perm.push_back(order[i] - lead);
  return n.with_dims(n.call("transpose", {x}, {{"perm", perm}}), made);
}

// [batch, steps, heads * size] by heads: [batch, heads, steps, size].
inline Term by_heads(OnnxNode& n, Term x, int64_t heads) {
  const std::vector<int64_t> d = n.dims(x);
  if (d.size() == 4) return x;
  if (d.size() != 3 || heads < 1 || d[2] < 0 || d[2] % heads != 0)
    throw value_failure("it needs three axes, and heads that share out the last one");
  return permuted(n, n.reshape(x, {d[0], d[1], heads, d[2] / heads}), {0, 2, 1, 3});
}

// Each head so many times, one copy beside the other.
inline Term repeated(OnnxNode& n, Term x, int64_t times) {
  if (times == 1) return x;
  const std::vector<int64_t> d = n.dims(x);
  const Term ones = n.constants(std::vector<double>(static_cast<size_t>(times), 1.0), {times, 1, 1}, x);
  Term y = n.reshape(x, {d[0], d[1], 1, d[2], d[3]}) * ones;
  y = n.with_dims(y, {d[0], d[1], times, d[2], d[3]});
  return n.reshape(y, {d[0], d[1] * times, d[2], d[3]});
}

inline Term sum(OnnxNode& n, Term a, Term b) {
  const std::vector<Term> terms = n.aligned({a, b});
  return terms[0] + terms[1];
}

inline Term hidden_unless(OnnxNode& n, Term seen, Term like) {
  const DType dtype = like.type().dtype;
  if (seen.type().dtype != dtype) seen = n.call("cast", {seen}, {{"dtype", dtype}});
  return n.call("element_select", {seen, n.constant(0, like), n.constant(kNever, like)});
}

// The mask as a bias, with keys that it does not name as ones that are not seen.
inline Term bias_of_mask(OnnxNode& n, Term mask, int64_t keys, Term like) {
  if (n.element(mask) == OnnxGraph::kBool) {
    const std::vector<int64_t> dims = n.dims(mask);
    mask = n.with_dims(hidden_unless(n, mask, like), dims);
  }
  std::vector<int64_t> dims = n.dims(mask);
  const int64_t named = dims.back();
  if (named == keys || named == 1) return mask;
  std::vector<int64_t> rest(dims.size() - static_cast<size_t>(n.lead(mask)), 1);
  rest.back() = keys - named;
  dims.back() = keys;
  const std::vector<double> never(static_cast<size_t>(keys - named), kNever);
  return n.with_dims(
      n.call_all("splice", {mask, n.constants(never, rest, like)}, {{"axis", int64_t{-1}}}, 1)[0], dims);
}

// Which keys a query sees by their distance: of key j and query i, whose place is i + offset.
struct Reach {
  bool causal;
  int64_t left, right;  // -1: as far as there are keys
  bool limits() const { return causal || left >= 0 || right >= 0; }
  bool sees(int64_t distance) const {  // j - i - offset
    return (!causal || distance <= 0) && (left < 0 || distance >= -left) && (right < 0 || distance <= right);
  }
};

inline Term bias_of_reach(OnnxNode& n, const Reach& r, int64_t queries, int64_t keys, int64_t offset,
                          Term like) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j) numbers.push_back(r.sees(j - i - offset) ? 0 : kNever);
  return n.constants(numbers, {queries, keys}, like);
}

// The same where each sample has keys of its own number, [batch]: those behind are not there, and the last
// query stands over the last key.
inline Term bias_of_lengths(OnnxNode& n, const Reach& r, Term lengths, int64_t queries, int64_t keys,
                            Term like) {
  const std::vector<int64_t> dims = n.dims(lengths);
  const Term length = n.reshape(lengths, {dims[0], 1, 1, 1});
  std::vector<double> places, distances;
  for (int64_t j = 0; j < keys; ++j) places.push_back(static_cast<double>(j));
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j) distances.push_back(static_cast<double>(j - i + queries));
  Term seen = n.call("less", {n.constants(places, {1, 1, keys}, length), length});
  // j - i - offset, with the offset length - queries
  const Term distance = n.constants(distances, {1, queries, keys}, length) - length;
  auto and_if = [&](bool holds, const char* comparison, int64_t limit) {
    if (holds) seen = seen * n.call(comparison, {distance, n.constant(static_cast<double>(limit), length)});
  };
  and_if(r.causal, "less_equal", 0);
  and_if(r.left >= 0, "greater_equal", -r.left);
  and_if(r.right >= 0, "less_equal", r.right);
  return hidden_unless(n, seen, like);
}

// Probabilities over the keys; none where a query sees no key.
inline Term softmax(OnnxNode& n, Term scores) {
  auto over_keys = [&](Term x, const char* reduction) {
    return n.call("reduce_elements", {x}, {{"axis", int64_t{-1}}, {"reduction", reduction}});
  };
  const Term zero = n.constant(0, scores), most = over_keys(scores, "Max");
  const Term sees_some = n.call("greater", {most, n.constant(kNever, scores)});
  const Term e = n.call("exp", {scores - n.call("element_select", {sees_some, most, zero})});
  const Term total = over_keys(e, "Sum");
  return n.call("ieee_divide", {e, total + n.call("equal", {total, zero})});
}

inline void read(OnnxNode& n) {
  Term q = n.x(0), k = n.x(1), v = n.x(2);
  bool batch = n.lead(q) == 1 && n.lead(k) == 1 && n.lead(v) == 1;
  for (int i : {4, 5}) batch = batch && (!n.has(i) || n.lead(n.x(i)) == 1);
  auto same = [&](Term t) { return batch ? t : n.plain(t); };
  q = same(q), k = same(k), v = same(v);
  const bool flat = n.rank(q) == 3;
  const int64_t q_heads = n.integer("q_num_heads"), kv_heads = n.integer("kv_num_heads");
  q = by_heads(n, q, q_heads), k = by_heads(n, k, kv_heads), v = by_heads(n, v, kv_heads);
  const int64_t past = n.has(4) ? n.dims(n.x(4))[2] : 0;
  auto behind = [&](int i, Term now) {
    if (!n.has(i)) return now;
    std::vector<int64_t> dims = n.dims(now);
    dims[2] = dims[2] < 0 || past < 0 ? -1 : dims[2] + past;
    return n.with_dims(n.call_all("splice", {same(n.x(i)), now}, {{"axis", int64_t{-2}}}, 1)[0], dims);
  };
  k = behind(4, k), v = behind(5, v);
  const Term present_k = k, present_v = v;
  const std::vector<int64_t> dq = n.dims(q), dk = n.dims(k);
  if (dk[1] < 1 || dq[1] % dk[1] != 0) throw value_failure("queries have no multiple of the keys' heads");
  k = repeated(n, k, dq[1] / dk[1]), v = repeated(n, v, dq[1] / dk[1]);
  const int64_t queries = dq[2], keys = dk[2];
  const Reach reach{n.integer("is_causal") != 0, n.integer("left_window_size", -1),
                    n.integer("right_window_size", -1)};
  if ((reach.limits() || n.has(3) || n.has(6)) && (queries < 0 || keys < 0 || past < 0))
    OnnxNode::refuse("its mask has sizes that only a run knows",
                     "write the model with fixed numbers of steps");

  const double scale = n.given("scale") ? n.real("scale", 1) : 1 / std::sqrt(static_cast<double>(dq[3]));
  const Term root = n.constant(std::sqrt(scale), q);
  Term scores = n.call("linalg_matmul", {q * root, k * root}, {{"transpose_b", true}});
  scores = n.with_dims(scores, {dq[0], dq[1], queries, keys});
  if (const double cap = n.real("softcap", 0); cap > 0) {
    const Term most = n.constant(cap, scores);
    scores = n.call("tanh", {n.call("ieee_divide", {scores, most})}) * most;
  }
  Term shown = scores;
  if (n.has(3)) scores = sum(n, scores, bias_of_mask(n, n.x(3), keys, scores));
  if (n.has(6))
    scores = sum(n, scores, bias_of_lengths(n, reach, same(n.x(6)), queries, keys, scores));
  else if (reach.limits())
    scores = scores + bias_of_reach(n, reach, queries, keys, past, scores);
  const int64_t mode = n.integer("qk_matmul_output_mode");
  if (mode == 2) shown = scores;
  const Term chances = softmax(n, scores);
  if (mode == 3) shown = chances;
  Term y = n.call("linalg_matmul", {chances, v});
  y = n.with_dims(y, {dq[0], dq[1], queries, n.dims(v)[3]});
  if (flat) {
    y = permuted(n, y, {0, 2, 1, 3});
    y = n.reshape(y, {dq[0], queries, dq[1] * n.dims(v)[3]});
  }
  n.result(0, y);
  if (n.outputs() > 1) n.result(1, present_k);
  if (n.outputs() > 2) n.result(2, present_v);
  if (n.outputs() > 3) n.result(3, n.with_dims(shown, {dq[0], dq[1], queries, keys}));
}

}  // namespace cantik::onnx_attention
