// The same numbers under another static shape: what gradients of reshaping operators need.
#include <cantik/op.h>
using namespace cantik;

namespace {
struct View {
  Shape shape;
  static constexpr auto fields() {
    return list(field("shape", &View::shape, "the shape of the result").role(CANTIK_SHAPE_OF));
  }
};
}  // namespace

CANTIK_OP(view) {
  op.attributes<View>("view(x, shape)")
      .traits(CANTIK_ALIAS | CANTIK_ROW_WISE | CANTIK_HIDDEN)
      .type([](Infer& in, const View& a) { in.set(in.view(0, a.shape)); })
      .onnx_write("Reshape",
                  [](OnnxGraph& g, const View& a) { g.result(g.reshape(g.x(), g.lead(), a.shape)); });
}
