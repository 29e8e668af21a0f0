// Max and average pooling as CNTK has it. Windows that reach over the edge see only what is inside, unless
// include_pad is set; a window that lies outside altogether (ceil_out_dim) has -inf or NaN.
#include "ops/nn/pooling_window.h"
#include "ops/nn/window_pixels.h"

using namespace cantik;

namespace {

using Pooling = PoolingWithEdges;

constexpr auto infer = [](Infer& in, const Pooling& a) {
  Shape x = in.shape(0);
  in.set(in.like(0, x.is_known() ? pooled_shape(pooling_view(a, x, a.ceil_out_dim), x) : x));
};

constexpr auto lower = [](Builder& b, const Pooling& a) {
  Term x = b.x(0);
  Shape shape = x.shape();
  PoolingView v = pooling_view(a, shape, a.ceil_out_dim);
  if (!(v.shape == shape)) x = b.call("view", {x}, {{"shape", v.shape}});
  if (v.window.rank() > 0) {
    const char* op = a.pooling_type == 1 ? "pool_average" : b.training() ? "pool_max_places" : "pool_max";
    const cpu::Window& w = v.window;
    x = b.call(op, {x},
               {{"kernel", w.kernel},
                {"stride", w.stride},
                {"dilation", w.dilation},
                {"lower", w.lower},
                {"upper", w.upper},
                {"automatic", w.automatic},
                {"ceil", w.ceil},
                {"include_padding", a.include_pad}});
  }
  if (!(v.shape == shape)) x = b.call("view", {x}, {{"shape", pooled_shape(v, shape)}});
  b.result(x);
};

constexpr auto pixels = [](Pixels& p, const Pooling& a) {
  const Shape x = p.shape(0);
  pixels_under_windows(p, pooling_view(a, x, a.ceil_out_dim).window, x, 0, false);
};

}  // namespace

CANTIK_OP(pooling) {
  op.attributes<Pooling>(
        "pooling(operand, pooling_type, pooling_window_shape, strides=(1,), auto_padding=[False], "
        "ceil_out_dim=False, include_pad=False, lower_pad=(), upper_pad=(), name='')")
      .doc("The largest or the mean element of each window over the last axes of the operand.")
      .type(infer)
      .lower(lower)
      .cntk("Pooling", 17)
      .pixels(pixels)
      .sample({{2, 5, 4}},
              [] {
                Pooling p;
                p.pooling_type = 1;
                p.window_shape = {3, 3};
                p.strides = {2, 2};
                p.auto_padding = {1};
                return p;
              }())
      .sample({{2, 5, 4}}, [] {
        Pooling p;
        p.window_shape = {2, 2};
        p.strides = {2, 2};
        return p;
      }());
}
