// y = left · rightᵀ: [m..., n] and [k, n] give [m..., k].
#include <cantik/op.h>
using namespace cantik;

CANTIK_OP(times_transpose) {
  op.signature("times_transpose(left, right, name='')")
      .named("arrays", "widest")
      .doc(
          "Product with the transpose of right: [m..., n] and [k, n] give [m..., k]. Two vectors [n] give "
          "their inner product, [1].")
      .traits(CANTIK_TAKES_SPARSE)
      .type([](Infer& in) {
        Shape left = in.shape(0), right = in.shape(1);
        if (!left.is_known() || !right.is_known()) {
          in.set(in.join(0, 1, Shape::unknown()));
          return;
        }
        if (right.rank() != 1 && right.rank() != 2)
          throw Failure(CANTIK_RUNTIME,
                        "the right operand must be a vector or a matrix, and has the shape " + right.text());
        if (left.rank() == 0)
          throw value_failure("the left operand must have at least one axis, and is a single number");
        int64_t &l = left[left.rank() - 1], &r = right[right.rank() - 1];
        if (l >= 0 && r >= 0 && l != r)
          throw shape_failure(
              "the last dimensions differ, " + std::to_string(l) + " and " + std::to_string(r),
              "give both operands a last axis of the same size");
        if (l == kInferred && r >= 0) l = r, in.refine(0, left);
        if (r == kInferred && l >= 0) r = l, in.refine(1, right);
        in.set(
            in.join(0, 1, left.sub(0, left.rank() - 1) + (right.rank() == 2 ? right.sub(0, 1) : Shape{1})));
      })
      .lower([](Builder& b) {
        Term left = b.x(0), right = b.x(1);
        if (!left.type().is_dense() && !right.type().is_dense()) right = b.call("to_dense", {right});
        if (right.shape().rank() == 1) right = b.call("view", {right}, {{"shape", Shape{1} + right.shape()}});
        b.result(b.call("product", {left, right}, {{"inner", 1}, {"transpose_b", true}}));
      })
      .onnx_write("MatMul",
                  [](OnnxGraph& g) {
                    const Shape left = g.shape(0), right = g.shape(1);
                    if (right.rank() == 1) {  // one product of vectors for each line
                      OnnxValue y = g.lead(1) ? g.inserted(g.x(1), g.lead(1), left.rank() - 1) : g.x(1);
                      OnnxValue sum = g.node("Mul", {g.x(0), y});
                      g.result(g.node("ReduceSum", {sum, g.integers({-1})}, {{"keepdims", 1}}));
                      return;
                    }
                    std::vector<int64_t> perm;
                    for (int i = 0; i < g.lead(1) + 2; ++i) perm.push_back(i);
                    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
                    OnnxValue turned = g.node("Transpose", {g.x(1)}, {{"perm", perm}});
                    const bool row = g.lead(1) > 0 && left.rank() == 1;
                    OnnxValue x = row ? g.inserted(g.x(0), g.lead(0), 1) : g.x(0);
                    OnnxValue y = g.node("MatMul", {x, turned});
                    g.result(row ? g.reshape(y, g.out().axes, g.out().shape) : y);
                  })
      .cntk("TransposeTimes", 32)
      .cntk_form({.fixed = {{"outputRank", 1}}, .order = {1, 0}})
      .sample({{2, 3}, {4, 3}})
      .sample({{3}, {3}});
}
