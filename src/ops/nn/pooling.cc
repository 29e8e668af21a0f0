// Max and average pooling as CNTK has it. Windows that reach over the edge see only what is inside, unless
// include_pad is set; a window that lies outside altogether (ceil_out_dim) has -inf or NaN.
#include <vector>

#include "ops/nn/onnx_taps.h"
#include "ops/nn/onnx_windows.h"
#include "ops/nn/pooling_window.h"
#include "ops/nn/window_pixels.h"

using namespace cantik;

namespace {

constexpr auto infer_pooling = [](Infer& in, const PoolingWithEdges& a) {
  Shape x = in.shape(0);
  in.set(in.like(0, x.is_known() ? pooled_shape(pooling_view(a, x, a.ceil_out_dim), x) : x));
};

constexpr auto lower_pooling = [](Builder& b, const PoolingWithEdges& a) {
  Term x = b.x(0);
  Shape shape = x.shape();
  PoolingView v = pooling_view(a, shape, a.ceil_out_dim);
  if (!(v.shape == shape)) x = b.call("view", {x}, {{"shape", v.shape}});
  if (v.window.rank() > 0) {
    const char* op = a.pooling_type == 1 ? "pool_average" : b.training() ? "pool_max_places" : "pool_max";
    const Window& w = v.window;
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

constexpr auto pooling_pixels = [](Pixels& p, const PoolingWithEdges& a) {
  const Shape x = p.shape(0);
  pixels_under_windows(p, pooling_view(a, x, a.ceil_out_dim).window, x, 0, false);
};

// Whether the window is all pixels, and their number is open.
bool has_open_window(const Window& w) {
  bool open = false, padded = false;
  for (size_t i = 0; i < w.kernel.size(); ++i) {
    open = open || w.kernel[i] < 0;
    padded = padded || w.automatic[i] || w.lower[i] != 0 || w.upper[i] != 0;
  }
  if (open && padded)
    throw Failure(CANTIK_UNSUPPORTED,
                  "a window over all pixels of an open size has padding, which ONNX cannot say");
  return open;
}

constexpr auto write_onnx_pooling = [](OnnxGraph& g, const PoolingWithEdges& a) {
  const Shape shape = g.shape();
  const PoolingView v = pooling_view(a, shape, a.ceil_out_dim);
  if (v.window.rank() == 0) {
    g.result(g.node("Identity", {g.x()}));
    return;
  }
  OnnxValue x = onnx_windows::folded(g, 0);
  if (!(v.shape == shape)) x = g.reshape(x, 1, v.shape);
  const bool average = a.pooling_type == 1;
  auto result = [&](OnnxValue y) {
    if (!(v.shape == shape)) y = g.reshape(y, 1, g.out().shape);
    g.result(onnx_windows::unfolded(g, y, 0));
  };
  if (has_open_window(v.window)) return result(g.node(average ? "GlobalAveragePool" : "GlobalMaxPool", {x}));
  const std::vector<int64_t> pads = onnx_windows::padding(v.window, v.shape.sub(1, v.shape.rank())).both;
  std::vector<Argument> arguments{{"kernel_shape", v.window.kernel},
                                  {"strides", v.window.stride},
                                  {"pads", pads},
                                  {"ceil_mode", int64_t{a.ceil_out_dim}}};
  if (average) arguments.push_back({"count_include_pad", int64_t{a.include_pad}});
  result(g.node(average ? "AveragePool" : "MaxPool", {x}, arguments));
};

constexpr auto read_onnx = [](OnnxNode& n) {
  Term x = n.rows(n.x());
  const std::vector<int64_t> dims = n.dims(x);
  const onnx_windows::Read v(n, dims, n.integers("kernel_shape"));
  if (onnx_taps::needed(n, dims, v))
    return n.name() == "AveragePool" ? onnx_taps::average(n) : onnx_taps::largest(n);
  const std::vector<int64_t> none{0};
  n.result(n.call("pooling", {x},
                  {{"pooling_type", int64_t{n.name() == "AveragePool"}},
                   {"pooling_window_shape", v.kernel},
                   {"strides", v.strides},
                   {"auto_padding", none},
                   {"ceil_out_dim", n.integer("ceil_mode") != 0},
                   {"include_pad", n.integer("count_include_pad") != 0},
                   {"lower_pad", v.lower},
                   {"upper_pad", v.upper}}));
};

void read_global(OnnxNode& n, const char* op) {
  Term x = n.rows(n.x());
  std::vector<int64_t> axes;
  for (int i = 1; i < n.rank(x) - 1; ++i) axes.push_back(i);
  n.result(axes.empty() ? x : n.call(op, {x}, {{"axis", axes}}));
}

}  // namespace

CANTIK_OP(pooling) {
  op.attributes<PoolingWithEdges>(
        "pooling(operand, pooling_type, pooling_window_shape, strides=(1,), auto_padding=[False], "
        "ceil_out_dim=False, include_pad=False, lower_pad=(), upper_pad=(), name='')")
      .doc("The largest or the mean element of each window over the last axes of the operand.")
      .type(infer_pooling)
      .lower(lower_pooling)
      .cntk("Pooling", 17)
      .pixels(pooling_pixels)
      .onnx_write("MaxPool", write_onnx_pooling)
      .onnx_read("MaxPool", read_onnx)
      .onnx_read("AveragePool", read_onnx)
      .onnx_read("LpPool", [](OnnxNode& n) { onnx_taps::norm(n); })
      .onnx_read("GlobalAveragePool", [](OnnxNode& n) { read_global(n, "reduce_mean"); })
      .onnx_read("GlobalMaxPool", [](OnnxNode& n) { read_global(n, "reduce_max"); })
      .sample({{2, 5, 4}},
              [] {
                PoolingWithEdges p;
                p.pooling_type = 1;
                p.window_shape = {3, 3};
                p.strides = {2, 2};
                p.auto_padding = {1};
                return p;
              }())
      .sample({{2, 5, 4}},
              [] {
                PoolingWithEdges p;
                p.window_shape = {2, 2};
                p.strides = {2, 2};
                return p;
              }())
      .sample({{2, 5, 4}}, [] {
        PoolingWithEdges p;
        p.pooling_type = 1;
        p.window_shape = {-2};
        return p;
      }());
}
