// y = a b for each pair of matrices of two stacks.
#include <vector>
#include <string>

#include "ops/linalg/matrices.h"

#include "backends/cpu/product_kernels.h"

using namespace cantik;
using namespace cantik::linalg;

namespace {

struct Matmul {
  bool transpose_a = false, transpose_b = false;
  static constexpr auto fields() {
    return list(field("transpose_a", &Matmul::transpose_a, "a's matrices are transposed first"),
                field("transpose_b", &Matmul::transpose_b, "b's matrices are transposed first"));
  }
};

// ONNX's product: a vector is a row or a column, and the axes before the matrices broadcast.
constexpr auto read_onnx = [](OnnxNode& n) {
  Term x = n.x(0), y = n.x(1);
  std::vector<int64_t> a = n.dims(x), b = n.dims(y);
  if (a.empty() || b.empty()) throw value_failure("a single number is no matrix");
  if (b.size() == 1 && n.lead(y) == 0) {  // a column
    Term sum =
        n.call("times", {static_cast<int>(a.size()) == n.lead(x) ? n.plain(x) : x, n.reshape(y, {b[0], 1})});
    n.result(n.reshape(sum, {a.begin(), a.end() - 1}));
    return;
  }
  if (b.size() == 2 && n.lead(y) == 0) {  // weights
    if (static_cast<int>(a.size()) == n.lead(x)) x = n.plain(x);
    Term product = n.call("times", {x, y}, {{"output_rank", static_cast<int64_t>(b.size()) - 1}});
    std::vector<int64_t> made(a.begin(), a.end() - 1);
    if (b.size() == 2) made.push_back(b[1]);
    n.result(n.with_dims(product, made));
    return;
  }
  if (n.lead(x) == 0 && a.size() == 2 && n.lead(y) == 1 && b.size() == 3) {  // a matrix of each sample
    n.result(n.with_dims(n.call("times", {x, y}), {b[0], a[0], b[2]}));
    return;
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
  if (!same || n.lead(x) != n.lead(y)) {
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
  Term product = n.call("linalg_matmul", {x, y});
  result = stack;
  if (!row) result.push_back(a[rank - 2]);
  if (!column) result.push_back(b[rank - 1]);
  n.result(row || column ? n.reshape(product, result) : n.with_dims(product, result));
};

}  // namespace

CANTIK_OP(linalg_matmul) {
  op.attributes<Matmul>("linalg_matmul(a, b, transpose_a=False, transpose_b=False, name='')")
      .doc(
          "Products of matrices, pair by pair: [..., n, k] and [..., k, m] give [..., n, m]. The axes before "
          "the last two are the same in both.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in, const Matmul& a) {
        Shape x = matrices(in, 0, false), y = matrices(in, 1, false);
        if (!x.is_known() || !y.is_known()) {
          in.set(in.join(0, 1, Shape::unknown()));
          return;
        }
        if (!(leading(x) == leading(y)))
          throw shape_failure("the axes before the last two must agree, and the operands have the shapes " +
                                  x.text() + " and " + y.text(),
                              "give both operands stacks of the same shape");
        int64_t inner_x = x[x.rank() - (a.transpose_a ? 2 : 1)],
                inner_y = y[y.rank() - (a.transpose_b ? 1 : 2)];
        if (inner_x >= 0 && inner_y >= 0 && inner_x != inner_y)
          throw shape_failure(
              "the inner sizes differ, " + std::to_string(inner_x) + " and " + std::to_string(inner_y),
              "give b as many rows as a has columns");
        in.set(in.join(0, 1,
                       leading(x) + Shape{x[x.rank() - (a.transpose_a ? 1 : 2)],
                                          y[y.rank() - (a.transpose_b ? 2 : 1)]}));
      })
      .gradient([](Gradient& g, const Matmul& a) {
        Term x = g.x(0), y = g.x(1), dz = g.dy();
        if (g.wanted(0))
          g.dx(0, a.transpose_a ? product(g, y, dz, a.transpose_b, true)
                                : product(g, dz, y, false, !a.transpose_b));
        if (g.wanted(1))
          g.dx(1, a.transpose_b ? product(g, dz, x, true, a.transpose_a)
                                : product(g, x, dz, !a.transpose_a, false));
      })
      .kernel("pairs",
              [](const Prepare& p, const Matmul& a) {
                return cpu::make_stack_product(p, Stack(p.out().shape).count, a.transpose_a, a.transpose_b);
              })
      .onnx_write("MatMul",
                  [](OnnxGraph& g, const Matmul& a) {
                    auto turned = [&](int i, bool turn) {
                      if (!turn) return g.x(i);
                      const int rank = g.lead(i) + g.shape(i).rank();
                      std::vector<int64_t> perm;
                      for (int k = 0; k < rank; ++k) perm.push_back(k);
                      std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
                      return g.node("Transpose", {g.x(i)}, {{"perm", perm}});
                    };
                    g.result(g.node("MatMul", {turned(0, a.transpose_a), turned(1, a.transpose_b)}));
                  })
      .onnx_read("MatMul", read_onnx)
      .sample({{2, 3}, {3, 4}})
      .sample({{2, 3, 2}, {2, 4, 3}}, {.transpose_a = true, .transpose_b = true})
      .sample({{2, 2, 3}, {2, 4, 3}}, {.transpose_b = true});
}
