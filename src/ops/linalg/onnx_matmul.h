// ONNX's products of matrices, vectors and stacks of matrices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <cantik/op.h>

namespace cantik::onnx_matmul {

// ONNX's product: a vector is a row or a column, and the axes before the matrices broadcast.
inline Term product(OnnxNode& n, Term x, Term y) {
  std::vector<int64_t> a = n.dims(x), b = n.dims(y);
  if (a.empty() || b.empty()) throw value_failure("a single number is no matrix");
  if (b.size() == 1 && n.lead(y) == 0) {  // a column
    Term sum =
        n.call("times", {static_cast<int>(a.size()) == n.lead(x) ? n.plain(x) : x, n.reshape(y, {b[0], 1})});
    return n.reshape(sum, {a.begin(), a.end() - 1});
  }
  if (b.size() == 2 && n.lead(y) == 0) {  // weights
    if (static_cast<int>(a.size()) == n.lead(x)) x = n.plain(x);
    Term sum = n.call("times", {x, y}, {{"output_rank", static_cast<int64_t>(b.size()) - 1}});
    std::vector<int64_t> made(a.begin(), a.end() - 1);
    if (b.size() == 2) made.push_back(b[1]);
    return n.with_dims(sum, made);
  }
  if (a.size() == 1 && n.lead(x) == 0 && b.size() > 2) {  // a row by each matrix: their columns by it
    std::vector<int64_t> turned = b;
    std::swap(turned[b.size() - 1], turned[b.size() - 2]);
    return product(n, n.with_dims(n.call("transpose", {y}, {{"axis1", -2}, {"axis2", -1}}), turned), x);
  }
  if (n.lead(x) == 0 && a.size() == 2 && n.lead(y) == 1 && b.size() == 3) {  // a matrix of each sample
    return n.with_dims(n.call("times", {x, y}), {b[0], a[0], b[2]});
  }
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1), x = n.reshape(n.plain(x), a);
  if (column) b.push_back(1), y = n.reshape(n.plain(y), b);
  // stacks of the same shape
  const size_t rank = std::max(a.size(), b.size());
  auto full = [&](std::vector<int64_t> d) {
    d.insert(d.begin(), rank - d.size(), 1);
    return d;
  };
  a = full(a), b = full(b);
  std::vector<int64_t> stack, result;
  bool same = true;
  for (size_t i = 0; i + 2 < rank; ++i) {
    stack.push_back(a[i] == 1 ? b[i] : a[i]);
    // sizes that only a run knows: it compares them
    if (a[i] != b[i] && (a[i] == 1 || b[i] == 1 || (a[i] >= 0 && b[i] >= 0))) same = false;
  }
  const bool level = n.rank(x) == static_cast<int>(rank) && n.rank(y) == static_cast<int>(rank);
  if (!same || !level || n.lead(x) != n.lead(y)) {
    auto spread = [&](Term t, std::vector<int64_t> d) {
      t = n.reshape(n.plain(t), d);
      std::vector<int64_t> ones = stack;
      for (int64_t& s : ones)
        if (s < 0) s = 1;
      bool wider = false;
      for (size_t i = 0; i < stack.size(); ++i) {
        if (d[i] != stack[i] && stack[i] < 0)
          OnnxNode::refuse("matrices are repeated as often as only a run knows");
        wider = wider || d[i] != stack[i];
      }
      if (!wider) return t;
      ones.resize(rank, 1);
      const std::vector<double> numbers(static_cast<size_t>(Shape(ones).elements()), 1.0);
      return t * n.constants(numbers, ones, t);
    };
    x = spread(x, a), y = spread(y, b);
  }
  Term sum = n.call("linalg_matmul", {x, y});
  result = stack;
  if (!row) result.push_back(a[rank - 2]);
  if (!column) result.push_back(b[rank - 1]);
  return row || column ? n.reshape(sum, result) : n.with_dims(sum, result);
}

}  // namespace cantik::onnx_matmul
