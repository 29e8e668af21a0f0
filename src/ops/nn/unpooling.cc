// Unpooling as CNTK has it: each number of the operand goes to the place where the largest stood in its
// window of the pooling input, zeros elsewhere. Where windows share a place, the last one counts, and the
// gradient goes to each of them: after a pooling they hold the same number.
#include <string>
#include <cmath>
#include <vector>

#include "ops/nn/onnx_grid_sample.h"
#include "ops/nn/onnx_resize.h"
#include "ops/nn/pooling_window.h"

using namespace cantik;

namespace {

struct Unpooling : PoolingAttributes {
  static constexpr auto fields() {
    return list(
        field("unpooling_type", &Unpooling::pooling_type, "0: max").key("poolingType"),
        field("unpooling_window_shape", &Unpooling::window_shape, "of the last axes")
            .key("unpoolingWindowShape")
            .role(CANTIK_SHAPE_OF),
        field("strides", &Unpooling::strides, "steps of the window; one number serves all axes")
            .key("strides")
            .role(CANTIK_SHAPE_OF),
        field("auto_padding", &Unpooling::auto_padding, "as of the pooling")
            .key("autoPadding")
            .role(CANTIK_FLAGS),
        field("lower_pad", &Unpooling::lower_pad, "as of the pooling").key("lowerPad").role(CANTIK_SHAPE_OF),
        field("upper_pad", &Unpooling::upper_pad, "as of the pooling").key("upperPad").role(CANTIK_SHAPE_OF));
  }
};

constexpr auto infer_unpooling = [](Infer& in, const Unpooling& a) {
  if (a.pooling_type != 0) throw Failure(CANTIK_RUNTIME, "Currently only max unpooling is supported.");
  Shape x = in.shape(0), from = in.shape(1);
  if (x.is_known() && from.is_known()) {
    Shape pooled = pooled_shape(pooling_view(a, from, false), from);
    if (!(pooled == x))
      throw Failure(CANTIK_RUNTIME, "Unpooling: The shape '" + x.text() +
                                        "' of the unpooling operand is different than the shape '" +
                                        pooled.text() + "' from pooling the input argument '" + from.text() +
                                        "'");
  }
  in.set(in.join(0, 1, from));
};

constexpr auto lower_unpooling = [](Builder& b, const Unpooling& a) {
  Term x = b.x(0), from = b.x(1);
  Shape shape = from.shape(), pooled = x.shape();
  PoolingView v = pooling_view(a, shape, false);
  if (v.window.rank() == 0) return b.result(x);
  bool turn = !(v.shape == shape);
  if (turn) {
    Shape inner = v.shape.sub(0, 1) + pooled.sub(v.channel_axes, pooled.rank());
    from = b.call("view", {from}, {{"shape", v.shape}});
    x = b.call("view", {x}, {{"shape", inner}});
  }
  const Window& w = v.window;
  Term places = b.call_all("pool_max_places", {from},
                           {{"kernel", w.kernel},
                            {"stride", w.stride},
                            {"dilation", w.dilation},
                            {"lower", w.lower},
                            {"upper", w.upper},
                            {"automatic", w.automatic}},
                           2)[1];
  std::vector<Term> in{x, places};
  if (v.shape.has_free()) in.push_back(from);
  Term y = b.call_all("pool_unpool", in,
                      {{"kernel", w.kernel},
                       {"stride", w.stride},
                       {"dilation", w.dilation},
                       {"lower", w.lower},
                       {"upper", w.upper},
                       {"automatic", w.automatic},
                       {"shape", v.shape}},
                      1)[0];
  b.result(turn ? b.call("view", {y}, {{"shape", shape}}) : y);
};

}  // namespace

CANTIK_OP(unpooling) {
  op.attributes<Unpooling>(
        "unpooling(operand, pooling_input, unpooling_type, unpooling_window_shape, strides=(1,), "
        "auto_padding=[False], lower_pad=(), upper_pad=(), name='')")
      .doc(
          "Spreads the operand over the places of the largest elements of pooling_input; windows as of the "
          "pooling. Where windows share a place, the last one counts, and each gets the gradient.")
      .type(infer_unpooling)
      .lower(lower_unpooling)
      .onnx_read("Resize", [](OnnxNode& n) { onnx_resize::read(n); })
      .onnx_read("GridSample", [](OnnxNode& n) { onnx_grid_sample::read(n); })
      .onnx_read("AffineGrid", [](OnnxNode& n) { onnx_grid_sample::affine_grid(n); })
      .cntk("Unpooling", 58)
      .sample({{2, 2, 2}, {2, 4, 4}}, [] {
        Unpooling p;
        p.window_shape = {2, 2};
        p.strides = {2, 2};
        return p;
      }());
}
