// The same numbers in another element type.
#include <cantik/op.h>
#include <cantik/tensor.h>
using namespace cantik;

namespace {

constexpr int64_t kBfloat16 = 16;  // ONNX's real numbers of 16 bits, which are float32 here

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
      .traits(CANTIK_ROW_WISE)
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
      .onnx_read("Cast",
                 [](OnnxNode& n) {
                   const int64_t to = n.integer("to");
                   Term x = n.x();
                   const bool real = to == 1 || to == 10 || to == 11 || to == kBfloat16;
                   n.result_type(0, to);
                   if (!real && n.is_whole(x) && to != OnnxGraph::kBool) {
                     n.result(x);
                     return;
                   }
                   if (to == 1 || to == kBfloat16)  // computed in float32
                     x = n.call("cast", {x}, {{"dtype", DType::float32}});
                   else if (to == 10)
                     x = n.call("cast", {x}, {{"dtype", DType::float16}});
                   else if (to == 11)
                     x = n.call("cast", {x}, {{"dtype", DType::float64}});
                   else if (to == OnnxGraph::kBool)
                     x = n.call("not_equal", {x, n.constant(0, x)});
                   else if (to >= 2 && to <= 13 && to != 8)
                     x = n.call("truncate", {x});
                   else
                     OnnxNode::refuse("there are no elements of the type " + std::to_string(to));
                   n.result(x);
                 })
      .onnx_read("CastLike",
                 [](OnnxNode& n) {
                   const DType dtype = n.type(n.x(1)).dtype;
                   const bool whole = n.is_whole(n.x(1));
                   n.result_type(0, whole ? OnnxGraph::kInt64 : OnnxGraph::type_number(dtype));
                   if (whole)
                     n.result(n.is_whole(n.x()) ? n.x() : n.call("truncate", {n.x()}));
                   else
                     n.result(n.call("cast", {n.x()}, {{"dtype", dtype}}));
                 })
      .sample({{2, 3}}, {.dtype = DType::float64});
}
