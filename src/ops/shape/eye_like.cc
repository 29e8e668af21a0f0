// 1 on the diagonal, else 0, in the shape of a matrix; rows may be those of a batch.
#include <algorithm>
#include <vector>

#include <cantik/op.h>

#include "ops/control/onnx_cast.h"
#include "ops/shape/sparse_rows.h"

using namespace cantik;

namespace {

struct EyeLike {
  bool sparse_output = true;
  static constexpr auto fields() {
    return list(field("sparse_output", &EyeLike::sparse_output, "sparse rows").key("OutputSparse"));
  }
};

template <class T>
struct Diagonal final : Kernel {
  int64_t rows = 1, columns;  // of a row of the result: 1 where the rows are those of the batch
  bool sparse;
  Diagonal(const TypeView& x, bool sparse) : columns(x.shape.back()), sparse(sparse) {
    if (x.shape.rank() == 2) rows = x.shape[0];
  }
  void run(const Run& r) const override {
    const cantik_operand& y = r.out();
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      if (sparse) {
        auto* starts = const_cast<int64_t*>(y.starts);
        starts[row] = row * rows;
        starts[row + 1] = (row + 1) * rows;
        for (int64_t i = 0; i < rows; ++i) {
          int64_t at = row * rows + i;  // the row of the matrix
          const_cast<int32_t*>(y.columns)[at] = static_cast<int32_t>(i * columns + std::min(at, columns - 1));
          static_cast<T*>(y.data)[at] = at < columns ? T(1) : T(0);
        }
        continue;
      }
      T* d = r.result<T>(0, row);
      std::fill_n(d, rows * columns, T(0));
      for (int64_t i = 0; i < rows; ++i)
        if (int64_t at = row * rows + i; at < columns) d[i * columns + at] = 1;
    }
  }
};

}  // namespace

CANTIK_OP(eye_like) {
  op.attributes<EyeLike>("eye_like(x, sparse_output=True, name='')")
      .doc(
          "The unit matrix in the shape of x, which has two axes: two static ones, or the batch and one "
          "static axis.")
      .traits(CANTIK_NO_GRADIENT)
      .layout_and_type_only(0)
      .type([](Infer& in, const EyeLike& a) {
        TypeView x = in.in(0), t = in.like(0, x.shape);
        if (x.shape.is_known() && x.axes != CANTIK_AXES_UNKNOWN) {
          if (x.shape.rank() + x.axes != 2)
            throw value_failure("the operand must have two axes, static and dynamic ones together, and has " +
                                std::to_string(x.shape.rank() + x.axes));
          if (a.sparse_output)
            check_columns(x.shape), t.storage = CANTIK_CSR, t.entries = x.shape.rank() == 2 ? x.shape[0] : 1;
        }
        in.set(t);
      })
      .kernel("diagonal",
              [](const Prepare& p, const EyeLike& a) -> std::unique_ptr<Kernel> {
                return of_type<Diagonal>(p.dtype(), p.in(0), a.sparse_output);
              })
      .onnx_write("EyeLike", [](OnnxGraph& g) { g.result(g.node("EyeLike", {g.x()})); })
      .onnx_read("EyeLike",
                 [](OnnxNode& n) {
                   const int64_t to = n.integer("dtype", n.element(n.x()));
                   if (n.integer("k") == 0)
                     return onnx_cast::result(n, n.call("eye_like", {n.x()}, {{"sparse_output", false}}), to);
                   const std::vector<int64_t> d = n.dims(n.x());
                   if (d.size() != 2 || d[0] < 0 || d[1] < 0 || d[0] > 1 << 12 || d[1] > 1 << 12)
                     OnnxNode::refuse("its shape is known in a run only, or too large");
                   std::vector<double> eye(static_cast<size_t>(d[0] * d[1]), 0);
                   for (int64_t i = 0; i < d[0]; ++i)
                     if (const int64_t j = i + n.integer("k"); j >= 0 && j < d[1]) eye[i * d[1] + j] = 1;
                   onnx_cast::result(n, n.constants(eye, d, n.x()), to);
                 })
      .cntk("EyeLikeOp", 92)
      .named("test.rows", "row i is the unit vector i")
      .sample({{3}}, {.sparse_output = false});
}
