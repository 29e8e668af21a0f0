// y = a b for each pair of matrices of two stacks.
#include <vector>
#include <string>

#include "ops/linalg/matrices.h"
#include "ops/linalg/onnx_fourier.h"
#include "ops/linalg/onnx_matmul.h"

#include "backends/host/products.h"

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
                return host::make_stack_product(p, Stack(p.out().shape).count, a.transpose_a, a.transpose_b);
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
      .onnx_read("MatMul", [](OnnxNode& n) { n.result(onnx_matmul::product(n, n.x(0), n.x(1))); })
      .onnx_read("DFT", [](OnnxNode& n) { onnx_fourier::transform(n); })
      .onnx_read("STFT", [](OnnxNode& n) { onnx_fourier::short_time(n); })
      .sample({{2, 3}, {3, 4}})
      .sample({{2, 3, 2}, {2, 4, 3}}, {.transpose_a = true, .transpose_b = true})
      .sample({{2, 2, 3}, {2, 4, 3}}, {.transpose_b = true});
}
