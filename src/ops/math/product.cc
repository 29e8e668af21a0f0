// Matrix products of flattened operands: what times, convolutions and their gradients run as.
//
//   product(a, b):                  [m..., k...] · [k..., n...]  = [m..., n...]
//   product(a, b, transpose_b):     [m..., n...] · [k..., n...]ᵀ = [m..., k...]
//   product(a, b, transpose_a):     [m..., k...]ᵀ · [m..., n...] = [k..., n...]
//   row_product(a, b):              the last one, summed over the rows too: gradients of weights
//
// `inner` counts the axes that are summed over. Where b has no rows it is packed into panels once per
// version.
#include <cantik/op.h>

#include "backends/cpu/map.h"
#include "backends/cpu/product_kernels.h"

using namespace cantik;

namespace {

struct Product {
  int64_t inner = 1;
  bool transpose_a = false, transpose_b = false;
  static constexpr auto fields() {
    return list(field("inner", &Product::inner, "axes summed over"),
                field("transpose_a", &Product::transpose_a, "sum over the first axes of a"),
                field("transpose_b", &Product::transpose_b, "sum over the last axes of b"));
  }
};

struct RowProduct {
  int64_t inner = 0;
  static constexpr auto fields() {
    return list(field("inner", &RowProduct::inner, "first axes, summed over like rows"));
  }
};

int outer_rank(const Shape& s, const Product& p) { return s.rank() - static_cast<int>(p.inner); }

Shape result_shape(const Shape& a, const Shape& b, const Product& p) {
  int inner = static_cast<int>(p.inner);
  if (p.transpose_a) return a.sub(inner, a.rank()) + b.sub(inner, b.rank());
  Shape m = a.sub(0, a.rank() - inner);
  return p.transpose_b ? m + b.sub(0, b.rank() - inner) : m + b.sub(inner, b.rank());
}

constexpr auto gradient = [](Gradient& g, const Product& p) {
  Term a = g.x(0), b = g.x(1), dy = g.dy();
  int m = outer_rank(a.shape(), p), n = outer_rank(b.shape(), p);
  if (p.transpose_a) {  // y[k, n] = aᵀ[m, k] b[m, n]
    if (g.wanted(0)) g.dx(0, g.call("product", {b, dy}, {{"inner", n}, {"transpose_b", true}}));
    if (g.wanted(1)) g.dx(1, g.call("product", {a, dy}, {{"inner", m}}));
    return;
  }
  // The weights' gradient: of each row where they have rows, summed over the rows otherwise.
  auto outer = [&](Term left, Term right) {
    if (b.type().has_batch()) return g.call("product", {left, right}, {{"inner", m}, {"transpose_a", true}});
    return g.call("row_product", {left, right}, {{"inner", m}});
  };
  if (p.transpose_b) {  // y[m, k] = a[m, n] bᵀ[k, n]
    if (g.wanted(0)) g.dx(0, g.call("product", {dy, b}, {{"inner", n}}));
    if (g.wanted(1)) g.dx(1, outer(dy, a));
  } else {
    if (g.wanted(0)) g.dx(0, g.call("product", {dy, b}, {{"inner", n}, {"transpose_b", true}}));
    if (g.wanted(1)) g.dx(1, outer(a, dy));
  }
};

// Sparse operands that no kernel takes in their place are written out.
Term readable(Builder& b, int i, bool taken) {
  return taken || b.x(i).type().is_dense() ? b.x(i) : b.call("to_dense", {b.x(i)});
}

}  // namespace

CANTIK_OP(product) {
  op.attributes<Product>("product(a, b, inner=1, transpose_a=False, transpose_b=False)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_TAKES_SPARSE)
      .type([](Infer& in, const Product& p) {
        in.set(in.join(0, 1, result_shape(in.shape(0), in.shape(1), p)));
      })
      .gradient(gradient)
      .finish([](Builder& b, const Product& p) {
        TypeView left = b.x(0).type(), right = b.x(1).type();
        if (right.has_batch() || !left.is_dense() || !right.is_dense() || p.transpose_a) {
          bool taken = !left.is_dense() && right.is_dense() && !p.transpose_a;
          Term x = readable(b, 0, taken),
               y = readable(b, 1, left.is_dense() && !p.transpose_a && p.transpose_b);
          b.result(
              b.call("each_product", {x, y},
                     {{"inner", p.inner}, {"transpose_a", p.transpose_a}, {"transpose_b", p.transpose_b}}));
          return;
        }
        Term panels = b.call("pack_panels", {b.x(1)}, {{"inner", p.inner}, {"transpose_b", p.transpose_b}});
        Shape kept = p.transpose_b ? right.shape.sub(0, right.shape.rank() - static_cast<int>(p.inner))
                                   : right.shape.sub(static_cast<int>(p.inner), right.shape.rank());
        b.result(b.call("packed_product", {b.x(0), panels}, {{"inner", p.inner}, {"kept", kept}}));
      });

  op.attributes<RowProduct>("row_product(a, b, inner=0)")
      .traits(CANTIK_HIDDEN | CANTIK_SUMS_ROWS | CANTIK_TAKES_SPARSE | CANTIK_ANY_STRIDE)
      .type([](Infer& in, const RowProduct& p) {
        TypeView t =
            in.join(0, 1, result_shape(in.shape(0), in.shape(1), {.inner = p.inner, .transpose_a = true}));
        t.axes = CANTIK_NO_AXES;
        // only rows of entries get anything
        if (in.in(0).storage == CANTIK_CSR && in.shape(0).rank() == p.inner + 1)
          t.storage = CANTIK_ROW_SPARSE;
        in.set(t);
      })
      .gradient([](Gradient& g, const RowProduct& p) {
        Term a = g.x(0), b = g.x(1), dy = g.dy();
        Product as{.inner = p.inner};
        if (g.wanted(0))
          g.dx(0, g.call("product", {b, dy}, {{"inner", outer_rank(b.shape(), as)}, {"transpose_b", true}}));
        if (g.wanted(1)) g.dx(1, g.call("product", {a, dy}, {{"inner", outer_rank(a.shape(), as)}}));
      })
      .finish([](Builder& b, const RowProduct& p) {
        TypeView left = b.x(0).type(), right = b.x(1).type();
        if ((left.is_dense() && right.is_dense()) || (!left.is_dense() && right.is_dense())) return;
        b.result(b.call("row_product", {readable(b, 0, false), readable(b, 1, false)}, {{"inner", p.inner}}));
      })
      .kernel("dense",
              [](const Prepare& p, const RowProduct& a) {
                return cpu::make_row_product(p, static_cast<int>(a.inner));
              })
      .kernel("sparse", [](const Prepare& p, const RowProduct& a) {
        return cpu::make_sparse_row_product(p, static_cast<int>(a.inner));
      });

  op.attributes<Product>("each_product(a, b, inner=1, transpose_a=False, transpose_b=False)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_TAKES_SPARSE | CANTIK_ANY_STRIDE)
      .type([](Infer& in, const Product& p) {
        in.set(in.join(0, 1, result_shape(in.shape(0), in.shape(1), p)));
      })
      .kernel("dense",
              [](const Prepare& p, const Product& a) {
                return cpu::make_each_product(p, static_cast<int>(a.inner), a.transpose_a, a.transpose_b);
              })
      .kernel("sparse", [](const Prepare& p, const Product& a) {
        return cpu::make_sparse_product(p, static_cast<int>(a.inner), a.transpose_a, a.transpose_b);
      });
}
