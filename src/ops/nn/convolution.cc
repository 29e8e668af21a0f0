// Convolution as CNTK has it: of the operand [channels, pixels...] with a map [filters, channels / groups,
// taps...].
//
// Runs as correlate or, transposed, as its adjoint; see correlate.cc.
#include <cantik/op.h>

#include "ops/nn/convolution_geometry.h"
#include "ops/nn/onnx_convolution.h"
#include "ops/nn/onnx_windows.h"
#include "ops/nn/window_pixels.h"

using namespace cantik;

namespace {

using Convolution = ConvolutionAttributes;
using Geometry = ConvolutionGeometry;

// Where the channels of the filters are inferred, CNTK leaves channels alone that the caller does not name:
// one step is all of them, and they are not padded. (Filters of known channels have the caller's numbers for
// all axes.)
Convolution with_channels_settled(Convolution a, const Shape& w, const Shape& x) {
  const int rank = x.rank();
  if (a.transpose || a.reduction_rank == 0 || w.rank() <= rank || w[1] != kInferred || x[0] < 0) return a;
  if (a.strides.rank() < rank) {
    Shape strides{x[0]};
    for (int i = 1; i < rank; ++i) strides.push_back(along(a.strides, i, rank, 1));
    a.strides = strides;
  }
  if (static_cast<int>(a.auto_padding.size()) < rank) {
    std::vector<int64_t> flags{0};
    for (int i = 1; i < rank; ++i) flags.push_back(along(a.auto_padding, i, rank, 0));
    a.auto_padding = flags;
  }
  return a;
}

constexpr auto infer_convolution = [](Infer& in, const Convolution& given) {
  TypeView w = in.in(0), x = in.in(1);
  if (w.has_batch())
    throw value_failure("the filters of a convolution must not have a batch axis",
                        "use a parameter or a constant");
  if (!w.shape.is_known() || !x.shape.is_known()) {
    in.set(in.join(1, 0, Shape::unknown()));
    return;
  }
  check_convolution(given, w.shape, x.shape);
  const Convolution a = with_channels_settled(given, w.shape, x.shape);
  if (!(a.strides == given.strides)) in.settle("strides", a.strides);
  if (a.auto_padding != given.auto_padding) in.settle("auto_padding", a.auto_padding);
  Geometry g = resolve_convolution(a, w.shape, x.shape);
  if (g.refined) {
    Shape known = g.w;
    if (a.reduction_rank == 0)
      known = a.transpose ? known.sub(1, known.rank()) : known.sub(0, 1) + known.sub(2, known.rank());
    if (w.shape.rank() < known.rank()) known = known.sub(1, known.rank());
    in.refine(0, known);
  }
  in.set(in.join(1, 0, g.y));
};

constexpr auto lower_convolution = [](Builder& b, const Convolution& a) {
  Term w = b.x(0), x = b.x(1);
  Geometry g = resolve_convolution(a, w.shape(), x.shape());
  if (g.across > 1) {
    std::string flags = "False";
    for (int i = 1; i < g.x.rank(); ++i) flags += ", True";
    throw Failure(CANTIK_UNSUPPORTED, "the channel axis of a convolution cannot be padded",
                  "write auto_padding=[" + flags + "]");
  }
  if (!(w.shape() == g.w)) w = b.call("view", {w}, {{"shape", g.w}});
  if (!(x.shape() == g.x)) x = b.call("view", {x}, {{"shape", g.x}});
  const Window& v = g.window;
  Term y = a.transpose ? b.call("correlate_adjoint", {x, w},
                                {{"kernel", v.kernel},
                                 {"stride", v.stride},
                                 {"dilation", v.dilation},
                                 {"lower", v.lower},
                                 {"upper", v.upper},
                                 {"automatic", v.automatic},
                                 {"groups", a.groups},
                                 {"shape", g.y}})
                       : b.call("correlate", {x, w},
                                {{"kernel", v.kernel},
                                 {"stride", v.stride},
                                 {"dilation", v.dilation},
                                 {"lower", v.lower},
                                 {"upper", v.upper},
                                 {"automatic", v.automatic},
                                 {"groups", a.groups}});
  b.result(y);
};

// ---- over the steps of sequences, which become the first axis of pixels

// Steps as pixels: behind the channels, where there are any.
Shape with_steps(const Shape& x, const Convolution& a) {
  return a.reduction_rank == 0 ? Shape{kFree} + x : x.sub(0, 1) + Shape{kFree} + x.sub(1, x.rank());
}

struct ResultLengths final : Kernel {
  Window window;
  bool single;
  ResultLengths(Window w, bool single) : window(std::move(w)), single(single) {}
  void run(const Run& r) const override {
    for (int64_t s = r.begin(); s < r.end(); ++s) {
      int64_t n = r.in(1).offsets[s + 1] - r.in(1).offsets[s],
              y = n == 0 ? 0 : std::max<int64_t>(0, window.result_size(0, n));
      if (single)
        *r.result<float>(0, s) = static_cast<float>(y);
      else
        *r.result<double>(0, s) = static_cast<double>(y);
    }
  }
};

// As CNTK spells it: unpacked, convolved, and cut to the lengths that the steps of a sequence give.
constexpr auto compose_convolution = [](Builder& b, const Convolution& a) {
  Term w = b.x(0), x = b.x(1);
  if (a.transpose) throw Failure(CANTIK_UNSUPPORTED, "a convolution over steps cannot be transposed");
  Shape shape = x.type().shape;
  if (a.reduction_rank == 1 && shape.is_known() && shape.rank() == 0)
    throw value_failure("reduction_rank=1 needs a channel axis, and a step has none",
                        "write reduction_rank=0");
  int rank = shape.is_known() ? shape.rank() + 1 : 0;  // 0: not known yet, and axes count from the front
  auto swapped = [&](Term t) {
    return a.reduction_rank == 0 ? t : b.call("transpose", {t}, {{"axis1", -rank}, {"axis2", 1 - rank}});
  };
  Term unpacked = swapped(b.call("unpack_values", {x}, {{"padding_value", 0.0}}));
  auto convolved = [&](const char* op, Term operand, bool sequential, const char* name) {
    return b.call(op, {w, operand},
                  {{"strides", a.strides},
                   {"sharing", a.sharing},
                   {"auto_padding", a.auto_padding},
                   {"sequential", sequential},
                   {"dilation", a.dilation},
                   {"reduction_rank", a.reduction_rank},
                   {"groups", a.groups},
                   {"max_temp_mem_size_in_samples", a.max_temp_mem_size_in_samples},
                   {"lower_pad", a.lower_pad},
                   {"upper_pad", a.upper_pad},
                   {"name", name}});
  };
  Term y = convolved("convolution", unpacked, false, ""),
       lengths = convolved("convolution_sequence_shape", x, true, "_sequence_shape");
  b.result(b.call("to_sequence", {swapped(y), b.call("stop_gradient", {lengths})},
                  {{"sequence_axis_name_prefix", "ConvOverSequenceAxisPrefix"}}));
};

constexpr auto convolution_pixels = [](Pixels& p, const Convolution& a) {
  const ConvolutionGeometry g = resolve_convolution(a, p.shape(0), p.shape(1));
  p.operand(1);
  pixels_under_windows(p, g.window, a.transpose ? g.y : g.x, 1, a.transpose);
};

constexpr auto write_onnx_convolution = [](OnnxGraph& g, const Convolution& a) {
  const ConvolutionGeometry v = resolve_convolution(a, g.shape(0), g.shape(1));
  if (v.across > 1) throw Failure(CANTIK_UNSUPPORTED, "the channel axis of a convolution is padded");
  if (g.lead(0) > 0) throw Failure(CANTIK_UNSUPPORTED, "the filters differ from sample to sample");
  OnnxValue w = g.shape(0) == v.w ? g.x(0) : g.reshape(g.x(0), 0, v.w);
  OnnxValue x = onnx_windows::folded(g, 1);
  if (!(g.shape(1) == v.x)) x = g.reshape(x, 1, v.x);
  const Shape pixels = (a.transpose ? v.y : v.x).sub(1, v.x.rank());
  const std::vector<int64_t> pads = onnx_windows::padding(v.window, pixels).both;
  std::vector<Argument> arguments{{"kernel_shape", v.window.kernel},
                                  {"strides", v.window.stride},
                                  {"dilations", v.window.dilation},
                                  {"pads", pads},
                                  {"group", a.groups}};
  std::vector<int64_t> further;  // pixels at the end that no window begins on
  if (a.transpose) {
    for (int i = 0; i < v.window.rank(); ++i) {
      const auto at = static_cast<size_t>(i);
      const int64_t from = v.x[i + 1], to = v.y[i + 1];
      further.push_back(from < 0 || to < 0
                            ? 0
                            : to - ((from - 1) * v.window.stride[at] + v.window.reach(i) - pads[at] -
                                    pads[at + static_cast<size_t>(v.window.rank())]));
      if (further.back() < 0) throw Failure(CANTIK_UNSUPPORTED, "the result is smaller than ONNX can say");
    }
    arguments.push_back({"output_padding", further});
  }
  OnnxValue y = g.node(a.transpose ? "ConvTranspose" : "Conv", {x, w}, arguments);
  if (!(g.out().shape == v.y)) y = g.reshape(y, 1, g.out().shape);
  g.result(onnx_windows::unfolded(g, y, 1));
};

}  // namespace

CANTIK_OP(convolution) {
  op.attributes<Convolution>(
        "convolution(convolution_map, operand, strides=(1,), sharing=[True], auto_padding=[True], "
        "sequential=False, dilation=(1,), reduction_rank=1, groups=1, "
        "max_temp_mem_size_in_samples=0, lower_pad=(), upper_pad=(), transpose=False, output_shape=(), "
        "name='')")
      .named("arrays", "widest")
      .doc(
          "Convolution of the operand's pixels with a map of filters.\n"
          "convolution_map: [filters, channels / groups, taps...]; its channels may be left to be inferred.\n"
          "operand: [channels, pixels...] with one to three axes of pixels. The channels are summed over.\n"
          "auto_padding keeps the size (ceil(size / stride) pixels); the windows' centres are spread over "
          "the operand. It has an entry for each axis of the operand, channels first, or one for all; "
          "channels cannot be padded.")
      .type(infer_convolution)
      .lower(lower_convolution)
      .cntk("Convolution", 33)
      .pixels(convolution_pixels)
      .cntk_form({.ignored = {"kernelShape"}, .windows = CANTIK_WINDOWS})
      .instead("sequential", "convolution_over_steps")
      .named("test.operands", "pb")
      .onnx_write("Conv", write_onnx_convolution)
      .onnx_read("Conv", [](OnnxNode& n) { onnx_convolution::read(n); })
      .onnx_read("ConvTranspose", [](OnnxNode& n) { onnx_convolution::read(n); })
      .sample({{2, 3, 3, 2}, {3, 5, 4}}, {.auto_padding = {0, 1, 1}});

  op.attributes<Convolution>("convolution_over_steps(convolution_map, operand, name='')")
      .doc("A convolution of sequences: the steps are the first axis of pixels.")
      .traits(CANTIK_HIDDEN | CANTIK_SPELLED_OUT)
      .composite(compose_convolution);

  op.attributes<Convolution>("convolution_sequence_shape(convolution_map, operand, name='')")
      .doc("How many steps a convolution of each sequence has.")
      .traits(CANTIK_HIDDEN | CANTIK_NO_GRADIENT | CANTIK_BY_SEQUENCE | CANTIK_TAKES_SPARSE)
      .layout_and_type_only(0)
      .layout_and_type_only(1)
      .type([](Infer& in, const Convolution&) {
        TypeView t = in.like(1, Shape{1});
        if (t.axes != CANTIK_AXES_UNKNOWN && !t.has_sequence())
          throw Failure(CANTIK_RUNTIME, "the operand of a convolution over steps has no sequence axis",
                        "give it a sequence.input_variable");
        if (t.has_sequence()) t.axes = CANTIK_BATCH, t.sequence_axis = -1;
        in.set(t);
      })
      .kernel("lengths",
              [](const Prepare& p, const Convolution& a) -> std::unique_ptr<Kernel> {
                return std::make_unique<ResultLengths>(
                    resolve_convolution(a, p.in(0).shape, with_steps(p.in(1).shape, a)).window,
                    p.dtype() == DType::float32);
              })
      .cntk("ConvolutionSequenceShape", 97)
      .cntk_form({.ignored = {"kernelShape"}, .windows = CANTIK_WINDOWS_WITH_STEPS});
}
