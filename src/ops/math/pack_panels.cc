// Weights in the order in which the product kernel reads them, and the product that reads them so.
#include <cantik/op.h>

#include "backends/cpu/product_kernels.h"

using namespace cantik;

namespace {

struct Pack {
  int64_t inner = 1;
  bool transpose_b = false;
  static constexpr auto fields() {
    return list(field("inner", &Pack::inner, "axes summed over"),
                field("transpose_b", &Pack::transpose_b, "they are the last ones"));
  }
};

struct PackedProduct {
  int64_t inner = 1;
  Shape kept;
  static constexpr auto fields() {
    return list(field("inner", &PackedProduct::inner, "axes summed over"),
                field("kept", &PackedProduct::kept, "axes of the weights that stay"));
  }
};

}  // namespace

CANTIK_OP(pack_panels) {
  op.attributes<Pack>("pack_panels(b, inner=1, transpose_b=False)")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Pack& a) {
        in.set(in.like(
            0, cpu::panels_shape(in.in(0).dtype, in.shape(0), static_cast<int>(a.inner), a.transpose_b)));
      })
      .kernel("pack", [](const Prepare& p, const Pack& a) {
        return cpu::make_pack_panels(p, static_cast<int>(a.inner), a.transpose_b);
      });

  op.attributes<PackedProduct>("packed_product(a, panels, inner=1, kept=[])")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_EPILOGUE | CANTIK_ANY_STRIDE)
      .type([](Infer& in, const PackedProduct& p) {
        Shape a = in.shape(0);
        in.set(in.like(0, a.sub(0, a.rank() - static_cast<int>(p.inner)) + p.kept));
      })
      .kernel("panels", [](const Prepare& p, const PackedProduct& a) {
        return cpu::make_packed_product(p, static_cast<int>(a.inner));
      });
}
