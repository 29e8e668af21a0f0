// Convolutions of sums of signs (see multibit), on packed bits.
//
//   binary_convolve(map, operand):  the operator that users call; in graphs and files it is a block of
//                                   convolution and multibit
//   binary_correlate(w, x):         it runs as this, with its gradient: the convolution's, of the sums,
//                                   straight through to w and x
//   pack_bits, pack_filters:        signs of the operand, of the filters (once a version), as bits
//   convolve_bits:                  the convolution
#include <tuple>

#include <cantik/op.h>

#include "backends/host/bits.h"
#include "ops/nn/convolution_geometry.h"

using namespace cantik;

namespace {

host::BitScale scale_named(const std::string& name, bool of_filters, int64_t levels) {
  if (name != "none" && name != "mean" && !(of_filters && name == "filter"))
    throw value_failure("there is no scale '" + name + "'",
                        of_filters ? "write 'none', 'mean' or 'filter'" : "write 'none' or 'mean'");
  if (name == "none" && levels > 1)
    throw value_failure(
        std::to_string(levels) + " levels need means: without them all levels would have the same signs",
        "write scale='mean'");
  return name == "none"   ? host::BitScale::none
         : name == "mean" ? host::BitScale::mean
                          : host::BitScale::filter;
}

// A number for each axis, as CNTK's files have them; the first stands for what is missing.
template <class List>
List for_each_axis(const List& list, int rank, int64_t missing) {
  List all;
  int n = static_cast<int>(list.size());
  for (int i = n - rank; i < n; ++i) all.push_back(n == 0 ? missing : list.data()[std::max(i, 0)]);
  return all;
}

struct BinaryConvolve {
  int64_t bits = 1, map_bits = 1;
  std::string scale = "mean", map_scale = "mean";
  Shape strides{1};
  std::vector<int64_t> auto_padding{1};
  Shape dilation{1};
  int64_t groups = 1;
  Shape lower_pad, upper_pad;
  static constexpr auto fields() {
    using C = BinaryConvolve;
    return list(
        field("bits", &C::bits, "levels of the operand").key("bits"),
        field("map_bits", &C::map_bits, "levels of the map").key("mapBits"),
        field("scale", &C::scale, "what the operand's signs are multiplied by: 'none' or 'mean'")
            .key("scale"),
        field("map_scale", &C::map_scale, "the map's: 'none', 'mean' or 'filter', a mean for each filter")
            .key("mapScale"),
        field("strides", &C::strides, "steps of the window; one number serves all axes")
            .key("strides")
            .role(CANTIK_SHAPE_OF),
        field("auto_padding", &C::auto_padding, "whether the operand is padded along an axis of pixels")
            .key("autoPadding")
            .role(CANTIK_FLAGS),
        field("dilation", &C::dilation, "steps between taps").key("dilation").role(CANTIK_SHAPE_OF),
        field("groups", &C::groups, "into which the channels are divided").key("groups"),
        field("lower_pad", &C::lower_pad, "padding before each axis without auto_padding")
            .key("lowerPad")
            .role(CANTIK_SHAPE_OF),
        field("upper_pad", &C::upper_pad, "padding behind it").key("upperPad").role(CANTIK_SHAPE_OF));
  }
  ConvolutionGeometry geometry(const Shape& w, const Shape& x) const {
    for (int64_t n : {bits, map_bits})
      if (n < 1 || n > 32)
        throw value_failure("the number of levels must be from 1 to 32, and is " + std::to_string(n));
    scale_named(scale, false, bits);
    scale_named(map_scale, true, map_bits);
    ConvolutionAttributes a;
    a.strides = strides, a.auto_padding = padded(x.rank()), a.dilation = dilation, a.groups = groups,
    a.lower_pad = lower_pad, a.upper_pad = upper_pad;
    return resolve_convolution(a, w, x);
  }
  // For each axis; the channels are summed over, never padded.
  std::vector<int64_t> padded(int rank) const {
    std::vector<int64_t> all = for_each_axis(auto_padding, rank, 0);
    if (rank > 0) all[0] = 0;
    return all;
  }
};

struct Correlate : Window {
  int64_t groups = 1, levels = 1, filter_levels = 1, scale = 0, filter_scale = 0;
  static constexpr auto fields() {
    return std::tuple_cat(Window::fields(),
                          list(field("groups", &Correlate::groups, "of channels"),
                               field("levels", &Correlate::levels, "of the operand"),
                               field("filter_levels", &Correlate::filter_levels, "of the filters"),
                               field("scale", &Correlate::scale, "of the operand"),
                               field("filter_scale", &Correlate::filter_scale, "of the filters")));
  }
};

struct Pack {
  int64_t levels = 1, scale = 0, groups = 1;
  bool last = false;
  static constexpr auto fields() {
    return list(field("levels", &Pack::levels, "planes of bits"),
                field("scale", &Pack::scale, "what the signs are multiplied by"),
                field("groups", &Pack::groups, "of channels"),
                field("last", &Pack::last, "the channels are the last axis"));
  }
  host::BitSpec spec() const { return {levels, static_cast<host::BitScale>(scale), groups}; }
};

struct ConvolveBits : Correlate {
  int64_t channels = 1, filters = 1;
  DType dtype = DType::float32;
  bool last = true;
  static constexpr auto fields() {
    return std::tuple_cat(
        Correlate::fields(),
        list(field("channels", &ConvolveBits::channels, "of the operand"),
             field("filters", &ConvolveBits::filters, "channels of the result"),
             field("dtype", &ConvolveBits::dtype, "of the result").role(CANTIK_DTYPE),
             field("last", &ConvolveBits::last, "whether the result's channels are the last axis")));
  }
};

#define CANTIK_BITS(a)                                                                              \
  {"kernel", (a).kernel}, {"stride", (a).stride}, {"dilation", (a).dilation}, {"lower", (a).lower}, \
      {"upper", (a).upper}, {                                                                       \
    "automatic", (a).automatic                                                                      \
  }

TypeView bytes(const Infer& in, const Shape& shape) {
  TypeView t = in.like(0, shape);
  t.dtype = DType::int8;
  return t;
}

// A sum of signs as users would write it.
Term quantized(Builder& b, Term x, int64_t levels, int64_t scale) {
  if (scale == 0) return b.call("straight_through_impl", {x});
  return b.call("multibit", {x, b.constant(static_cast<double>(levels), x)},
                {{"levels", levels}, {"per_filter", scale == 2}});
}

// What comes back to x from the gradient of its sum of signs.
Term straight_through(Builder& b, Term x, Term d, int64_t levels) {
  return b.map({x, b.constant(static_cast<double>(levels), x), d},
               [](Real v, Real most, Real dy) { return select(abs(v) <= most, dy, 0); });
}

constexpr auto infer_binary_convolution = [](Infer& in, const BinaryConvolve& a) {
  TypeView w = in.in(0), x = in.in(1);
  if (w.has_batch())
    throw value_failure("the filters of a convolution must not have a batch axis",
                        "use a parameter or a constant");
  if (!w.shape.is_known() || !x.shape.is_known()) {
    in.set(in.join(1, 0, Shape::unknown()));
    return;
  }
  ConvolutionGeometry g = a.geometry(w.shape, x.shape);
  if (g.refined) in.refine(0, w.shape.rank() < g.w.rank() ? g.w.sub(1, g.w.rank()) : g.w);
  in.set(in.join(1, 0, g.y));
};

// As CNTK can read it, and as it comes back from a file.
constexpr auto compose_binary_convolution = [](Builder& b, const BinaryConvolve& a) {
  Term w = b.x(0), x = b.x(1);
  a.geometry(w.shape(), x.shape());
  int rank = x.shape().rank();
  w = quantized(b, w, a.map_bits, static_cast<int64_t>(scale_named(a.map_scale, true, a.map_bits)));
  x = quantized(b, x, a.bits, static_cast<int64_t>(scale_named(a.scale, false, a.bits)));
  std::vector<int64_t> shared = for_each_axis(std::vector<int64_t>{1}, rank, 1), padded = a.padded(rank);
  Shape strides = for_each_axis(a.strides, rank, 1), dilation = for_each_axis(a.dilation, rank, 1),
        lower_binary_convolution = for_each_axis(a.lower_pad, rank, 0),
        upper = for_each_axis(a.upper_pad, rank, 0), none{0};
  b.result(b.call("convolution", {w, x},
                  {{"strides", strides},
                   {"sharing", shared},
                   {"auto_padding", padded},
                   {"dilation", dilation},
                   {"groups", a.groups},
                   {"lower_pad", lower_binary_convolution},
                   {"upper_pad", upper},
                   {"output_shape", none}}));
};

constexpr auto lower_binary_convolution = [](Builder& b, const BinaryConvolve& a) {
  Term w = b.x(0), x = b.x(1);
  ConvolutionGeometry g = a.geometry(w.shape(), x.shape());
  if (!(w.shape() == g.w)) w = b.call("view", {w}, {{"shape", g.w}});
  b.result(b.call("binary_correlate", {w, x},
                  {CANTIK_BITS(g.window),
                   {"groups", a.groups},
                   {"levels", a.bits},
                   {"filter_levels", a.map_bits},
                   {"scale", static_cast<int64_t>(scale_named(a.scale, false, a.bits))},
                   {"filter_scale", static_cast<int64_t>(scale_named(a.map_scale, true, a.map_bits))}}));
};

constexpr auto gradient = [](Gradient& g, const Correlate& a) {
  Term w = g.x(0), x = g.x(1), dy = g.dy();
  if (g.wanted(0)) {
    Shape shape = w.shape();
    Term d = g.call("correlate_kernel", {quantized(g, x, a.levels, a.scale), dy},
                    {CANTIK_BITS(a), {"groups", a.groups}, {"shape", shape}});
    g.dx(0, straight_through(g, w, d, a.filter_levels));
  }
  if (g.wanted(1)) {
    Shape shape = x.shape();
    std::vector<Term> in{dy, quantized(g, w, a.filter_levels, a.filter_scale)};
    if (shape.has_free()) in.push_back(x);
    Term d =
        g.call_all("correlate_adjoint", in, {CANTIK_BITS(a), {"groups", a.groups}, {"shape", shape}}, 1)[0];
    g.dx(1, straight_through(g, x, d, a.levels));
  }
};

constexpr auto finish = [](Builder& b, const Correlate& a) {
  Term w = b.x(0), x = b.x(1);
  Term bits = b.call("pack_bits", {x}, {{"levels", a.levels}, {"scale", a.scale}, {"groups", a.groups}});
  Term filters = b.call("pack_filters", {w},
                        {{"levels", a.filter_levels}, {"scale", a.filter_scale}, {"groups", a.groups}});
  Term y = b.call("convolve_bits", {bits, filters},
                  {CANTIK_BITS(a),
                   {"groups", a.groups},
                   {"levels", a.levels},
                   {"filter_levels", a.filter_levels},
                   {"scale", a.scale},
                   {"filter_scale", a.filter_scale},
                   {"channels", x.shape()[0]},
                   {"filters", w.shape()[0]},
                   {"dtype", x.type().dtype}});
  b.result(x.shape().rank() > 1 ? b.call("turn_image", {y}, {{"last", false}}) : y);
};

}  // namespace

CANTIK_OP(binary_convolve) {
  op.attributes<BinaryConvolve>(
        "binary_convolve(convolution_map, operand, bits=1, map_bits=1, scale='mean', map_scale='mean', "
        "strides=(1,), auto_padding=[True], dilation=(1,), groups=1, lower_pad=(), "
        "upper_pad=(), name='')")
      .doc(
          "A convolution of sums of signs of both operands, on packed bits: multibit's of one to 32 levels, "
          "or, with the scale 'none', signs alone.\n"
          "convolution_map: [filters, channels / groups, taps...]; its channels may be left to be inferred.\n"
          "operand: [channels, pixels...] with one to three axes of pixels. A tap outside of it adds "
          "nothing.\n"
          "auto_padding keeps the size (ceil(size / stride) pixels); the channels are summed over, never "
          "padded.\n"
          "The gradient goes straight through to elements whose magnitude is not above the number of levels.")
      .type(infer_binary_convolution)
      .composite(compose_binary_convolution)
      .lower(lower_binary_convolution)
      .cntk_block("BinaryConvolveOp")
      .named("test.operands", "pb")
      .named("test.gradient", "straight through the signs, by definition")
      .sample({{2, 3, 3, 2}, {3, 5, 4}}, {.bits = 2, .auto_padding = {0, 1, 1}})
      .sample({{4, 3, 3}, {6, 7}}, {.map_bits = 2,
                                    .scale = "none",
                                    .map_scale = "filter",
                                    .strides = {2},
                                    .auto_padding = {0},
                                    .groups = 2});

  op.attributes<Correlate>(
        "binary_correlate(w, x, kernel, stride, dilation, lower, upper, automatic, ceil=False, groups=1, "
        "levels=1, filter_levels=1, scale=0, filter_scale=0)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Correlate& a) { infer_correlation(in, a); })
      .gradient(gradient)
      .finish(finish);

  op.attributes<Pack>("pack_bits(x, levels=1, scale=0, groups=1, last=False)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Pack& a) {
        Shape x = in.shape(0), y = a.last ? x.sub(0, x.rank() - 1) : x.sub(1, x.rank());
        y.push_back(host::packed_pixel_bytes(in.in(0).dtype, a.last ? x.back() : x[0], a.spec()));
        in.set(bytes(in, y));
      })
      // Signs are packed channel after channel, whichever way the image lies.
      .images({.last = "last", .operands = {0}})
      .kernel("bits",
              [](const Prepare& p, const Pack& a) { return host::make_pack_bits(p, a.spec(), a.last); });

  op.attributes<Pack>("pack_filters(w, levels=1, scale=0, groups=1, last=False)")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Pack& a) {
        Shape w = in.shape(0);
        in.set(bytes(in, w.is_static() ? Shape{host::packed_filter_bytes(in.in(0).dtype, w, a.spec())}
                                       : Shape{kFree}));
      })
      .kernel("bits", [](const Prepare& p, const Pack& a) { return host::make_pack_filters(p, a.spec()); });

  op.attributes<ConvolveBits>(
        "convolve_bits(bits, panels, kernel, stride, dilation, lower, upper, automatic, ceil=False, "
        "groups=1, levels=1, filter_levels=1, scale=0, filter_scale=0, channels=1, filters=1, dtype=float32, "
        "last=True)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_EPILOGUE)
      .type([](Infer& in, const ConvolveBits& a) {
        Shape y = in.shape(0).sub(0, in.shape(0).rank() - 1);
        for (int i = 0; i < y.rank(); ++i)
          if (y[i] >= 0) y[i] = a.result_size(i, y[i]);
        y = a.last ? y + Shape{a.filters} : Shape{a.filters} + y;
        TypeView t = in.like(0, y);
        t.dtype = a.dtype;
        in.set(t);
      })
      .images({.last = "last", .results = {0}})
      .kernel("bits", [](const Prepare& p, const ConvolveBits& a) {
        return host::make_bit_convolution(
            p, {a,
                {a.levels, static_cast<host::BitScale>(a.scale), a.groups},
                {a.filter_levels, static_cast<host::BitScale>(a.filter_scale), a.groups},
                a.channels,
                a.filters,
                !a.last});
      });
}

#undef CANTIK_BITS
