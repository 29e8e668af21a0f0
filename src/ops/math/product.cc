// Matrix products of flattened operands: what times, convolutions and their gradients run as.
//
//   product(a, b):                  [m..., k...] · [k..., n...]  = [m..., n...]
//   product(a, b, transpose_b):     [m..., n...] · [k..., n...]ᵀ = [m..., k...]
//   product(a, b, transpose_a):     [m..., k...]ᵀ · [m..., n...] = [k..., n...]
//   row_product(a, b):              the last one, summed over the rows too: gradients of weights
//
// `inner` counts the axes that are summed over. Where b has no rows, plans pack it into panels, once per
// version of its numbers.
#include <cantik/op.h>

#include "backends/host/products.h"

using namespace cantik;

namespace {

struct Product {
  int64_t inner = 1;
  bool transpose_a = false, transpose_b = false, packed = false;
  static constexpr auto fields() {
    return list(field("inner", &Product::inner, "axes summed over"),
                field("transpose_a", &Product::transpose_a, "sum over the first axes of a"),
                field("transpose_b", &Product::transpose_b, "sum over the last axes of b"),
                field("packed", &Product::packed, "whether b comes in panels"));
  }
};

struct RowProduct {
  int64_t inner = 0;
  static constexpr auto fields() {
    return list(field("inner", &RowProduct::inner, "first axes, summed over like rows"));
  }
};

struct Pack {
  int64_t inner = 1;
  bool transpose_b = false;
  static constexpr auto fields() {
    return list(field("inner", &Pack::inner, "axes summed over"),
                field("transpose_b", &Pack::transpose_b, "they are the last ones"));
  }
};

int outer_rank(const Shape& s, const Product& p) { return s.rank() - static_cast<int>(p.inner); }

Shape result_shape(const Shape& a, const Shape& b, const Product& p) {
  int inner = static_cast<int>(p.inner);
  if (p.transpose_a) return a.sub(inner, a.rank()) + b.sub(inner, b.rank());
  Shape m = a.sub(0, a.rank() - inner);
  return p.transpose_b ? m + b.sub(0, b.rank() - inner) : m + b.sub(inner, b.rank());
}

// m, k and n of the comment above.
constexpr auto axis_names = [](AxisNames& names, const Product& p) {
  const int inner = static_cast<int>(p.inner);
  const auto summed = names.axes(inner), left = names.axes(names.shape(0).rank() - inner),
             right = names.axes(names.shape(1).rank() - inner);
  if (p.transpose_a)
    names.operand(0, {summed, left});
  else
    names.operand(0, {left, summed});
  if (p.transpose_b && !p.transpose_a)
    names.operand(1, {right, summed});
  else
    names.operand(1, {summed, right});
  names.result(0, {left, right});
};

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
Term written_out(Builder& b, int i) {
  return b.x(i).type().is_dense() ? b.x(i) : b.call("to_dense", {b.x(i)});
}

}  // namespace

CANTIK_OP(product) {
  op.attributes<Product>("product(a, b, inner=1, transpose_a=False, transpose_b=False, packed=False)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_TAKES_SPARSE | CANTIK_ANY_STRIDE)
      .by_index(1)  // steps of a sequence may share a matrix
      .type([](Infer& in, const Product& p) {
        if (p.packed) throw value_failure("weights are packed by plans, not by those who call an operator");
        in.set(in.join(0, 1, result_shape(in.shape(0), in.shape(1), p)));
      })
      .axis_names(axis_names)
      .gradient(gradient)
      .finish([](Builder& b, const Product& p) {
        TypeView left = b.x(0).type(), right = b.x(1).type();
        if (left.is_dense() && right.is_dense()) return;
        bool taken = !left.is_dense() && right.is_dense() && !p.transpose_a;
        bool right_taken = left.is_dense() && !p.transpose_a && p.transpose_b;
        if (taken || right_taken) return;
        b.result(
            b.call("product", {written_out(b, 0), written_out(b, 1)},
                   {{"inner", p.inner}, {"transpose_a", p.transpose_a}, {"transpose_b", p.transpose_b}}));
      })
      .packed(
          "packed",
          [](Packing& packing, const Product& p) {
            if (p.transpose_a) return;
            packing.pack(1, "pack_panels", {{"inner", p.inner}, {"transpose_b", p.transpose_b}});
          },
          CANTIK_EPILOGUE)
      .kernel("panels",
              [](const Prepare& p, const Product& a) {
                if (!a.packed) throw declined("weights as they are");
                return host::make_packed_product(p, static_cast<int>(a.inner));
              })
      .kernel("dense",
              [](const Prepare& p, const Product& a) {
                return host::make_each_product(p, static_cast<int>(a.inner), a.transpose_a, a.transpose_b);
              })
      .kernel("sparse", [](const Prepare& p, const Product& a) {
        return host::make_sparse_product(p, static_cast<int>(a.inner), a.transpose_a, a.transpose_b);
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
      .axis_names([](AxisNames& names, const RowProduct& p) {
        axis_names(names, {.inner = p.inner, .transpose_a = true});
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
        b.result(b.call("row_product", {written_out(b, 0), written_out(b, 1)}, {{"inner", p.inner}}));
      })
      .kernel("dense",
              [](const Prepare& p, const RowProduct& a) {
                return host::make_row_product(p, static_cast<int>(a.inner));
              })
      .kernel("sparse", [](const Prepare& p, const RowProduct& a) {
        return host::make_sparse_row_product(p, static_cast<int>(a.inner));
      });

  op.attributes<Pack>("pack_panels(b, inner=1, transpose_b=False)")
      .doc("Weights in the order in which the kernel of a product reads them.")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Pack& a) {
        in.set(in.like(
            0, host::panels_shape(in.in(0).dtype, in.shape(0), static_cast<int>(a.inner), a.transpose_b)));
      })
      .kernel("pack", [](const Prepare& p, const Pack& a) {
        return host::make_pack_panels(p, static_cast<int>(a.inner), a.transpose_b);
      });
}
