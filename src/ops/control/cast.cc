// The same numbers in another element type.
#include <cantik/op.h>
#include <cantik/tensor.h>

#include "ops/control/onnx_cast.h"

using namespace cantik;

namespace {

struct Cast {
  DType dtype = DType::float32;
  static constexpr auto fields() {
    return list(
        field("dtype", &Cast::dtype, "element type of the result").key("newDataType").role(CANTIK_DTYPE));
  }
};

struct CastKernel final : Kernel {
  DType from, to;
  CastKernel(DType from, DType to) : from(from), to(to) {}
  void run(const Run& r) const override {
    const cantik_operand &x = r.in(0), &y = r.out();
    int64_t n = y.stride ? y.stride : elements;
    for (int64_t row = r.begin(); row < r.end(); ++row) {
      const char* source =
          static_cast<const char*>(x.data) + row * x.stride * static_cast<int64_t>(size_of(from));
      copy_numbers(from, source, to,
                   static_cast<char*>(y.data) + row * y.stride * static_cast<int64_t>(size_of(to)), n);
    }
  }
  int64_t elements = 0;
};

}  // namespace

CANTIK_OP(cast) {
  op.attributes<Cast>("cast(node_input, dtype, name='')")
      .named("arrays", "widest")
      .doc("The same numbers in another element type, rounded to it. The gradient is cast back.")
      .traits(CANTIK_ROW_WISE | CANTIK_TAKES_HALF)
      .type([](Infer& in, const Cast& a) {
        TypeView t = in.like(0, in.shape(0));
        t.dtype = a.dtype;
        in.set(t);
      })
      .gradient([](Gradient& g, const Cast&) {
        g.dx(0, g.call("cast", {g.dy()}, {{"dtype", g.x().type().dtype}}));
      })
      .kernel("copy",
              [](const Prepare& p, const Cast&) -> std::unique_ptr<Kernel> {
                auto k = std::make_unique<CastKernel>(p.in(0).dtype, p.out().dtype);
                k->elements = p.out().shape.elements();
                return k;
              })
      .cntk("Cast", 91)
      .keeps_pixels()
      .onnx_write("Cast",
                  [](OnnxGraph& g) { g.result(g.cast(g.x(), OnnxGraph::type_number(g.out().dtype))); })
      .onnx_read("Cast", [](OnnxNode& n) { onnx_cast::cast(n); })
      .onnx_read("CastLike", [](OnnxNode& n) { onnx_cast::cast_like(n); })
      .sample({{2, 3}}, {.dtype = DType::float64});
}
