// How many rows a value has: samples, or steps of sequences.
#include <cantik/op.h>
using namespace cantik;

namespace {

struct Rows final : Kernel {
  void run(const Run& r) const override { *r.result<double>(0, 0) = static_cast<double>(r.in(0).rows); }
};

}  // namespace

CANTIK_OP(row_count) {
  op.signature("row_count(x)")
      .traits(CANTIK_HIDDEN | CANTIK_NO_GRADIENT)
      .layout_only(0)
      .type([](Infer& in) {
        TypeView t = in.like(0, Shape());
        t.dtype = DType::float64;
        t.axes = CANTIK_NO_AXES;
        in.set(t);
      })
      .kernel("rows", [](const Prepare&, const NoAttributes&) -> std::unique_ptr<Kernel> {
        return std::make_unique<Rows>();
      });
}
