// y = e^x / sum of e^x along an axis, or over the whole row.
#include <cantik/op.h>

#include "backends/forms.h"
#include "ops/axis_of.h"

#include "ops/nn/onnx_attention.h"
#include "ops/nn/onnx_rotary.h"
#include "ops/nn/onnx_softmax.h"
#include "ops/nn/whole_sample.h"

using namespace cantik;

namespace {

struct AxisSoftmax {
  int64_t axis = axis_code::kNone;
  static constexpr auto fields() {
    return list(field("axis", &AxisSoftmax::axis,
                      "the static axis along which the numbers add up to 1; without one, all of a sample")
                    .key("axis")
                    .role(CANTIK_AXIS));
  }
};

struct SoftmaxColumns {
  int64_t columns = 1;
  static constexpr auto fields() {
    return list(field("columns", &SoftmaxColumns::columns, "numbers in a line"));
  }
};

// As CNTK spells it.
void compose_softmax(Builder& b, int64_t axis) {
  Term x = b.x();
  Term e = b.call("exp", {x - b.call("reduce_elements", {x}, {{"axis", axis}, {"reduction", "Max"}})});
  b.result(
      b.call("element_divide", {e, b.call("reduce_elements", {e}, {{"axis", axis}, {"reduction", "Sum"}})}));
}

}  // namespace

CANTIK_OP(softmax) {
  op.attributes<AxisSoftmax>("softmax(x, axis=None, name='')")
      .doc(
          "e^x / sum of e^x: along a static axis, or, without one, over all numbers of a sample. Of a value "
          "without "
          "dynamic axes, each line along the last axis is a sample.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const AxisSoftmax& a) {
        Shape x = b.x().type().shape;
        const bool all = a.axis == axis_code::kNone || a.axis == axis_code::kAllStatic;
        const bool whole = all || (a.axis == -1 && x.is_known() && x.rank() == 1);
        b.result(b.call(whole ? "softmax_whole" : "softmax_axis", {b.x()},
                        {{"axis", all ? axis_code::kNone : a.axis}}));
      })
      .sample({{4}})
      .sample({{2, 3}}, {.axis = 0});

  op.attributes<AxisSoftmax>("softmax_whole(x, axis=None, name='')")
      .doc("e^x / sum of e^x over all numbers of a sample.")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const AxisSoftmax&) { in.set(in.like(0, in.shape(0))); })
      .lower([](Builder& b, const AxisSoftmax&) {
        const TypeView x = b.x().type();
        b.result(b.call("softmax_lines", {b.x()},
                        {{"columns", columns_of_sample(x.shape, x.axes != CANTIK_NO_AXES)}}));
      })
      .cntk("Softmax", 10)
      .onnx_write("Softmax",
                  [](OnnxGraph& g) {
                    const Shape x = g.shape();
                    if (x.rank() == 1 || (x.rank() > 1 && g.lead() == 0)) {
                      g.result(g.node("Softmax", {g.x()}, {{"axis", -1}}));
                      return;
                    }
                    OnnxValue flat = g.reshape(g.x(), g.lead(), Shape{x.is_static() ? x.elements() : -1});
                    g.result(g.reshape(g.node("Softmax", {flat}, {{"axis", -1}}), g.lead(), x));
                  })
      .sample({{2, 3}});

  op.attributes<AxisSoftmax>("softmax_axis(x, axis=-1, name='')")
      .doc("e^x / sum of e^x along a static axis.")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const AxisSoftmax& a) {
        if (in.shape(0).is_known()) static_axis(a.axis, in.shape(0).rank());
        in.set(in.like(0, in.shape(0)));
      })
      .composite([](Builder& b, const AxisSoftmax& a) { compose_softmax(b, axis_from_end(a.axis, b.x())); })
      .lower([](Builder& b, const AxisSoftmax& a) {
        Shape x = b.x().shape();
        int64_t axis = axis_from_end(a.axis, x.rank());
        if (axis == -1)
          b.result(b.call("softmax_lines", {b.x()}, {{"columns", x.back()}}));
        else
          compose_softmax(b, axis);
      })
      .cntk_block("Softmax")
      .onnx_write("Softmax",
                  [](OnnxGraph& g, const AxisSoftmax& a) {
                    g.result(g.node("Softmax", {g.x()}, {{"axis", g.axis(a.axis)}}));
                  })
      .onnx_read("Softmax", [](OnnxNode& n) { read_axis_softmax(n, "softmax"); })
      .onnx_read("Attention", [](OnnxNode& n) { onnx_attention::read(n); })
      .onnx_read("RotaryEmbedding", [](OnnxNode& n) { onnx_rotary::read(n); })
      .sample({{2, 3}}, {.axis = -1})
      .sample({{2, 3}}, {.axis = 0});

  op.attributes<SoftmaxColumns>("softmax_lines(x, columns=1)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_IN_PLACE)
      .type([](Infer& in, const SoftmaxColumns&) { in.set(in.like(0, in.shape(0))); })
      .gradient([](Gradient& g, const SoftmaxColumns& a) {
        g.dx(0, g.call("softmax_lines_gradient", {g.y(), g.dy()}, {{"columns", a.columns}}));
      })
      .form("lines", [](const Prepare& p, const SoftmaxColumns& a) {
        return forms::lines(p, LineKind::softmax, a.columns);
      });
  op.attributes<SoftmaxColumns>("softmax_lines_gradient(y, dy, columns=1)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_IN_PLACE)
      .in_place({{0, 0}, {1, 0}})
      .type([](Infer& in, const SoftmaxColumns&) { in.set(in.join(0, 1, in.shape(0))); })
      .gradient([](Gradient& g, const SoftmaxColumns& a) {  // dx = y (dy - sum of y dy)
        Term y = g.x(0), dy = g.x(1), d = g.dy();
        int64_t lines = y.shape().elements() / std::max<int64_t>(1, a.columns);
        Shape matrix{lines, a.columns}, shape = y.shape();
        auto sum = [&](Term t) {
          Term s = g.call("reduce_elements", {g.call("view", {t}, {{"shape", matrix}})}, {{"axis", -1}});
          return g.call(
              "view", {g.map({g.call("view", {t}, {{"shape", matrix}}), s}, [](Real, Real v) { return v; })},
              {{"shape", shape}});
        };
        Term dot = sum(y * dy), dyd = sum(y * d);
        if (g.wanted(0))
          g.dx(0,
               g.map({dy, d, dot, dyd}, [](Real u, Real v, Real p, Real q) { return v * (u - p) - u * q; }));
        if (g.wanted(1)) g.dx(1, g.map({y, d, dyd}, [](Real u, Real v, Real q) { return u * (v - q); }));
      })
      .form("lines", [](const Prepare& p, const SoftmaxColumns& a) {
        return forms::lines(p, LineKind::softmax_gradient, a.columns);
      });
}
