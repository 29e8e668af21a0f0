// Convolution as CNTK has it: of the operand [channels, pixels...] with a map [filters, channels / groups, taps...].
//
// Runs as correlate or, transposed, as its adjoint; see correlate.cc.
#include <cantik/op.h>

#include "backends/cpu/convolution_plan.h"
#include "ops/nn/convolution_attributes.h"

using namespace cantik;

namespace {

using Convolution = ConvolutionAttributes;

// What an attribute says for an axis of the operand: lists may be shorter, their first number stands for what is missing.
template <class List>
int64_t along(const List& list, int axis, int rank, int64_t missing) {
  int n = static_cast<int>(list.size()), i = axis - (rank - n);
  return n == 0 ? missing : list.data()[i < 0 ? 0 : i];
}

// The operand and the map with an axis each for channels.
struct Geometry {
  Shape x, w;       // x: [channels, pixels...], w: [filters, channels / groups, taps...]
  Shape y;          // the result
  cpu::Window window;
  bool refined = false;  // w (or, transposed, its first axes) had dimensions to be inferred
  int64_t across = 1;    // positions along the channels, where auto_padding names their axis, too: CNTK gives such a result a shape, but no numbers
};

[[noreturn]] void kernel_too_large(int64_t kernel, int64_t size) {
  throw value_failure("Convolution operation requires that kernel dim " + std::to_string(kernel) + " <= input dim " + std::to_string(size) + ".");
}

void check(const Convolution& a, const Shape& w, const Shape& x) {
  if (a.reduction_rank != 0 && a.reduction_rank != 1) throw Failure(CANTIK_RUNTIME, "reductionRank: must be 1 or 0.");
  if (a.groups <= 0) throw Failure(CANTIK_RUNTIME, "groups: Must be strictly positive, i.e. groups > 0.");
  if (a.reduction_rank == 0 && a.groups != 1) throw Failure(CANTIK_RUNTIME, "groups: without channels (reduction_rank=0) there is nothing to divide.");
  for (int64_t shared : a.sharing)
    if (!shared) throw Failure(CANTIK_UNSUPPORTED, "a convolution whose map is not shared along an axis", "use sharing=[True]");
  int rank = x.rank() + (a.reduction_rank == 0 ? 1 : 0);
  if (a.strides.rank() > rank) throw value_failure("Convolution stride tensor must have rank 1 or the same as the input tensor.");
  if (a.dilation.rank() > rank) throw value_failure("Convolution dilation tensor must have rank 1 or the same as the input tensor.");
  for (const Shape* s : {&a.strides, &a.dilation})
    for (int64_t d : *s)
      if (d < 0 || (d == 0 && s == &a.strides)) throw value_failure("the strides and dilation of a convolution are positive, not " + s->text());
  if (w.rank() < x.rank() || w.rank() > x.rank() + 1) throw value_failure("Convolution input and kernel tensors must have the same rank.", "give the map the shape [filters, channels, taps...]");
}

Geometry resolve(const Convolution& a, Shape w, Shape x) {
  check(a, w, x);
  Geometry g;
  bool bare = w.rank() == x.rank();  // no axis for filters: there is one
  if (bare) w = Shape{1} + w;
  if (a.reduction_rank == 0) {
    w = w.sub(0, 1) + Shape{1} + w.sub(1, w.rank());
    x = Shape{1} + x;
  }
  int rank = x.rank(), pixels = rank - 1;
  if (pixels > 3) throw Failure(CANTIK_UNSUPPORTED, "a convolution over " + std::to_string(pixels) + " axes", "at most three are supported");
  // Channels.
  int read = a.transpose ? 0 : 1;
  if (w[read] == kInferred && x[0] >= 0) w[read] = a.transpose ? x[0] : x[0] / a.groups, g.refined = true;
  if (a.transpose && w[1] == kInferred && x[0] >= 0) w[1] = x[0], g.refined = true;
  int64_t channels = a.transpose ? w[0] : w[1] * a.groups, filters = a.transpose ? w[1] * a.groups : w[0];
  if (a.groups > 1 && w[0] >= 0 && w[0] % a.groups != 0) throw Failure(CANTIK_RUNTIME, "groups: number of output channels must be divisble by groups.");
  if (x[0] >= 0 && w[read] >= 0 && channels != x[0]) {
    if (a.groups > 1) throw Failure(CANTIK_RUNTIME, "groups: number of input channels (C) must be equal to number of input kernel channels (kC) * groups (G).");
    if (!a.transpose && w[1] > x[0]) kernel_too_large(w[1], x[0]);
    throw shape_failure("the operand has " + std::to_string(x[0]) + " channels, the map is for " + std::to_string(channels),
                        a.transpose ? "the first axis of a transposed convolution's map is the operand's channels" : "the second axis of the map is the operand's channels");
  }
  if (!a.transpose && a.reduction_rank == 1 && x[0] > 1 && along(a.auto_padding, 0, rank, 0)) {
    int64_t stride = along(a.strides, 0, rank, 1);
    g.across = (x[0] + stride - 1) / stride;
  }
  // Pixels.
  Shape size = a.output_shape;
  bool given = a.transpose && size.rank() > 0 && !(size.rank() == 1 && size[0] == 0);
  if (given && size.rank() == rank - 1 && a.reduction_rank == 0) size = Shape{1} + size;
  if (given && size.rank() != rank) throw value_failure("Convolution input and kernel tensors must have the same rank.", "give output_shape an axis for each axis of the result");
  g.y = Shape{filters < 0 ? filters : filters * g.across};
  cpu::Window& v = g.window;
  for (int i = 1; i < rank; ++i) {
    int64_t k = w[i + 1];
    if (k < 0) kernel_too_large(k, x[i]);
    v.kernel.push_back(k);
    v.stride.push_back(along(a.strides, i, rank, 1));
    v.dilation.push_back(std::max<int64_t>(1, along(a.dilation, i, rank, 1)));
    v.automatic.push_back(along(a.auto_padding, i, rank, 0));
    v.lower.push_back(along(a.lower_pad, i, rank, 0));
    v.upper.push_back(along(a.upper_pad, i, rank, 0));
  }
  for (int i = 1; i < rank; ++i) {
    int64_t k = v.kernel[static_cast<size_t>(i - 1)], stride = v.stride[static_cast<size_t>(i - 1)];
    if (!a.transpose) {
      if (x[i] >= 0 && k > x[i]) kernel_too_large(k, x[i]);
      g.y.push_back(x[i] >= 0 ? v.result_size(i - 1, x[i]) : x[i]);
      if (g.y.back() == 0) kernel_too_large(v.reach(i - 1), x[i]);
      continue;
    }
    int64_t padding = v.automatic[static_cast<size_t>(i - 1)] ? v.reach(i - 1) - 1 : v.lower[static_cast<size_t>(i - 1)] + v.upper[static_cast<size_t>(i - 1)];
    int64_t out = given ? size[i] : x[i] >= 0 ? (x[i] - 1) * stride + v.reach(i - 1) - padding : x[i];
    if (out >= 0 && (k > out || (x[i] >= 0 && v.result_size(i - 1, out) != x[i])))
      throw Failure(CANTIK_RUNTIME, "Convolution transpose: the operand has " + std::to_string(x[i]) + " positions along axis " + std::to_string(i) +
                                        ", convolving the result of " + std::to_string(out) + " gives " + std::to_string(k > out ? 0 : v.result_size(i - 1, out)));
    g.y.push_back(out);
  }
  if (given && size[0] != filters)
    throw Failure(CANTIK_RUNTIME, "Convolution transpose: output_shape has " + std::to_string(size[0]) + " channels, the map makes " + std::to_string(filters));
  g.x = x;
  g.w = w;
  return g;
}

constexpr auto infer = [](Infer& in, const Convolution& a) {
  TypeView w = in.in(0), x = in.in(1);
  if (w.has_batch()) throw value_failure("the map of a convolution has no batch axis", "use a parameter or a constant");
  if (!w.shape.is_known() || !x.shape.is_known()) {
    in.set(in.join(1, 0, Shape::unknown()));
    return;
  }
  Geometry g = resolve(a, w.shape, x.shape);
  if (g.refined) {
    Shape known = g.w;
    if (a.reduction_rank == 0) known = known.sub(0, 1) + known.sub(2, known.rank());
    if (w.shape.rank() < known.rank()) known = known.sub(1, known.rank());
    in.refine(0, known);
  }
  in.set(in.join(1, 0, g.y));
};

constexpr auto lower = [](Builder& b, const Convolution& a) {
  Term w = b.x(0), x = b.x(1);
  Geometry g = resolve(a, w.shape(), x.shape());
  if (g.across > 1) {
    std::string flags = "False";
    for (int i = 1; i < g.x.rank(); ++i) flags += ", True";
    throw Failure(CANTIK_UNSUPPORTED, "a convolution that is padded over the channel axis", "write auto_padding=[" + flags + "]");
  }
  if (!(w.shape() == g.w)) w = b.call("view", {w}, {{"shape", g.w}});
  if (!(x.shape() == g.x)) x = b.call("view", {x}, {{"shape", g.x}});
  const cpu::Window& v = g.window;
  Term y = a.transpose ? b.call("correlate_adjoint", {w, x}, {{"kernel", v.kernel}, {"stride", v.stride}, {"dilation", v.dilation}, {"lower", v.lower}, {"upper", v.upper},
                                                              {"automatic", v.automatic}, {"groups", a.groups}, {"shape", g.y}})
                       : b.call("correlate", {w, x}, {{"kernel", v.kernel}, {"stride", v.stride}, {"dilation", v.dilation}, {"lower", v.lower}, {"upper", v.upper},
                                                      {"automatic", v.automatic}, {"groups", a.groups}});
  b.result(y);
};

// ---- over the steps of sequences, which become the first axis of pixels

// Steps as pixels: behind the channels, where there are any.
Shape with_steps(const Shape& x, const Convolution& a) { return a.reduction_rank == 0 ? Shape{kFree} + x : x.sub(0, 1) + Shape{kFree} + x.sub(1, x.rank()); }

struct ResultLengths final : Kernel {
  cpu::Window window;
  bool single;
  ResultLengths(cpu::Window w, bool single) : window(std::move(w)), single(single) {}
  void run(const Run& r) const override {
    for (int64_t s = r.begin(); s < r.end(); ++s) {
      int64_t n = r.in(1).offsets[s + 1] - r.in(1).offsets[s], y = n == 0 ? 0 : std::max<int64_t>(0, window.result_size(0, n));
      if (single) *r.result<float>(0, s) = static_cast<float>(y);
      else *r.result<double>(0, s) = static_cast<double>(y);
    }
  }
};

// As CNTK spells it: unpacked, convolved, and cut to the lengths that the steps of a sequence give.
constexpr auto compose = [](Builder& b, const Convolution& a) {
  Term w = b.x(0), x = b.x(1);
  if (a.transpose) throw Failure(CANTIK_UNSUPPORTED, "a transposed convolution over steps");
  Shape shape = x.type().shape;
  if (a.reduction_rank == 1 && shape.is_known() && shape.rank() == 0) throw value_failure("a step without channels", "write reduction_rank=0");
  int rank = shape.is_known() ? shape.rank() + 1 : 0;  // 0: not known yet, and axes count from the front
  auto swapped = [&](Term t) { return a.reduction_rank == 0 ? t : b.call("transpose", {t}, {{"axis1", -rank}, {"axis2", 1 - rank}}); };
  Term unpacked = swapped(b.call("unpack_values", {x}, {{"padding_value", 0.0}}));
  auto convolved = [&](const char* op, Term operand, bool sequential, const char* name) {
    return b.call(op, {w, operand}, {{"strides", a.strides}, {"sharing", a.sharing}, {"auto_padding", a.auto_padding}, {"sequential", sequential}, {"dilation", a.dilation},
                                     {"reduction_rank", a.reduction_rank}, {"groups", a.groups}, {"max_temp_mem_size_in_samples", a.max_temp_mem_size_in_samples},
                                     {"lower_pad", a.lower_pad}, {"upper_pad", a.upper_pad}, {"name", name}});
  };
  Term y = convolved("convolution", unpacked, false, ""), lengths = convolved("convolution_sequence_shape", x, true, "_sequence_shape");
  b.result(b.call("to_sequence", {swapped(y), b.call("stop_gradient", {lengths})}, {{"sequence_axis_name_prefix", "ConvOverSequenceAxisPrefix"}}));
};

}  // namespace

CANTIK_OP(convolution) {
  op.attributes<Convolution>(
        "convolution(convolution_map, operand, strides=(1,), sharing=[True], auto_padding=[True], sequential=False, dilation=(1,), reduction_rank=1, groups=1, "
        "max_temp_mem_size_in_samples=0, lower_pad=(), upper_pad=(), transpose=False, output_shape=(), name='')")
      .doc("Convolution of the operand's pixels with a map of filters.\n"
           "convolution_map: [filters, channels / groups, taps...]; its channels may be left to be inferred.\n"
           "operand: [channels, pixels...] with one to three axes of pixels. The channels are summed over, never padded.\n"
           "auto_padding keeps the size (ceil(size / stride) pixels); the windows' centres are spread over the operand.")
      .type(infer)
      .lower(lower)
      .cntk("Convolution", 33)
      .named("cntk.ignored", "kernelShape")
      .named("spelled", "sequential=convolution_over_steps")
      .named("test.operands", "pb")
      .sample({{2, 3, 3, 2}, {3, 5, 4}}, {.auto_padding = {0, 1, 1}});

  op.attributes<Convolution>("convolution_over_steps(convolution_map, operand, name='')")
      .doc("A convolution of sequences: the steps are the first axis of pixels.")
      .traits(CANTIK_HIDDEN | CANTIK_SPELLED_OUT)
      .composite(compose);

  op.attributes<Convolution>("convolution_sequence_shape(convolution_map, operand, name='')")
      .doc("How many steps a convolution of each sequence has.")
      .traits(CANTIK_HIDDEN | CANTIK_NO_GRADIENT | CANTIK_BY_SEQUENCE | CANTIK_TAKES_SPARSE)
      .layout_only(0)
      .layout_only(1)
      .named("layout", "and type")
      .type([](Infer& in, const Convolution&) {
        TypeView t = in.like(1, Shape{1});
        if (t.axes != CANTIK_AXES_UNKNOWN && !t.has_sequence()) throw Failure(CANTIK_RUNTIME, "the operand of a convolution over steps has no sequence axis", "give it a sequence.input_variable");
        if (t.has_sequence()) t.axes = CANTIK_BATCH, t.sequence_axis = -1;
        in.set(t);
      })
      .kernel("lengths", [](const Prepare& p, const Convolution& a) -> std::unique_ptr<Kernel> {
        return std::make_unique<ResultLengths>(resolve(a, p.in(0).shape, with_steps(p.in(1).shape, a)).window, p.dtype() == DType::float32);
      })
      .cntk("ConvolutionSequenceShape", 97)
      .named("cntk.ignored", "kernelShape");
}
