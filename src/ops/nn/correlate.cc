// A convolution and its relatives, whatever operator they come from. All three are linear in each operand, so
// that their gradients are one another.
//
//   correlate(x, w):             y[f] = sum over channels c and taps t of w[f, c, t] * x[c, window(t)]
//   correlate_adjoint(y, w):     x[c] = sum over filters f and taps t of w[f, c, t] * y[f, window],
//                                of the window whose tap t is here
//   correlate_kernel(x, y):      w[f, c, t] = sum over rows and windows of x[c, window(t)] * y[f, window]
//
// w: [filters, channels / groups, taps...], x: [channels, pixels...], y: [filters, windows...]; `last`: the
// channels, or filters, of x and y are the last axis. Kernels want them so, and w in panels. The sums of the
// third one come in the order of its inner loops, and are brought into the kernel's.
#include <tuple>

#include <cantik/op.h>

#include "backends/host/convolutions.h"

using namespace cantik;

namespace {

struct Pack : Window {
  int64_t groups = 1;
  bool adjoint = false;
  static constexpr auto fields() {
    return std::tuple_cat(Window::fields(),
                          list(field("groups", &Pack::groups, "of channels"),
                               field("adjoint", &Pack::adjoint, "from the result back to the operand")));
  }
};

struct Correlate : Window {
  int64_t groups = 1;
  Shape shape;  // of the result of the other two, channels first; free pixels are those of the last operand
  bool last = false, packed = false;
  static constexpr auto fields() {
    return std::tuple_cat(
        Window::fields(),
        list(field("groups", &Correlate::groups, "of channels"),
             field("shape", &Correlate::shape, "of an adjoint's result").role(CANTIK_SHAPE_OF),
             field("last", &Correlate::last, "whether the channels are the last axis"),
             field("packed", &Correlate::packed, "whether the weights come in panels")));
  }
};

struct Unpack {
  int64_t groups = 1;
  Shape shape;
  static constexpr auto fields() {
    return list(field("groups", &Unpack::groups, "of channels"),
                field("shape", &Unpack::shape, "of the kernel").role(CANTIK_SHAPE_OF));
  }
};

#define CANTIK_WINDOW(a)                                                                            \
  {"kernel", (a).kernel}, {"stride", (a).stride}, {"dilation", (a).dilation}, {"lower", (a).lower}, \
      {"upper", (a).upper}, {"automatic", (a).automatic}, {                                         \
    "groups", (a).groups                                                                            \
  }

#define CANTIK_CORRELATE_SIGNATURE(name, operands)                                                         \
  name "(" operands                                                                                        \
       ", kernel, stride, dilation, lower, upper, automatic, ceil=False, groups=1, shape=[], last=False, " \
       "packed=False)"

// The adjoint's result has the type of x. Where its pixels are free, x says how many there are.
Term adjoint_like(Builder& b, Term y, Term w, Term x, const Correlate& a) {
  Shape shape = x.shape();
  std::vector<Term> in{y, w};
  if (shape.has_free()) in.push_back(x);
  return b.call_all("correlate_adjoint", in, {CANTIK_WINDOW(a), {"shape", shape}}, 1)[0];
}
Term correlated(Builder& b, Term x, Term w, const Correlate& a) {
  return b.call("correlate", {x, w}, {CANTIK_WINDOW(a)});
}
Term kernel_like(Builder& b, Term x, Term y, Term w, const Correlate& a) {
  Shape shape = w.shape();
  return b.call("correlate_kernel", {x, y}, {CANTIK_WINDOW(a), {"shape", shape}});
}

// The shape of the weights is known as long as they are not packed; then types are.
void want_weights(const Correlate& a) {
  if (a.packed) throw value_failure("weights are packed by plans, not by those who call an operator");
}

constexpr auto correlation = [](Infer& in, const Correlate& a) {
  want_weights(a);
  Shape y = in.shape(0);
  const int channels = a.last ? y.rank() - 1 : 0;
  for (int i = 0; i < y.rank(); ++i) {
    if (i == channels)
      y[i] = in.shape(1)[0];
    else if (y[i] >= 0)
      y[i] = a.result_size(a.last ? i : i - 1, y[i]);
  }
  in.set(in.join(0, 1, y));
};

constexpr auto infer_adjoint = [](Infer& in, const Correlate& a) {
  want_weights(a);
  const Shape x = in.inputs() > 2 ? in.shape(2) : a.shape;
  in.set(in.join(0, 1, a.last ? x.sub(1, x.rank()) + x.sub(0, 1) : x));
};

template <bool kAdjoint, bool kDepthwise>
constexpr auto correlation_kernel = [](const Prepare& p, const Correlate& a) {
  if (!a.last || !a.packed) throw declined("channels come first, or weights as they are");
  return host::make_convolve(p, {a, a.groups, kAdjoint}, kDepthwise);
};

template <bool kAdjoint>
constexpr auto panels = [](Packing& p, const Correlate& a) {
  p.pack(1, "pack_convolution", {CANTIK_WINDOW(a), {"adjoint", kAdjoint}});
};

}  // namespace

CANTIK_OP(correlate) {
  constexpr uint64_t traits = CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_EPILOGUE;
  const Images images{.last = "last", .operands = {0}, .results = {0}, .preferred = true};

  op.attributes<Correlate>(CANTIK_CORRELATE_SIGNATURE("correlate", "x, w"))
      .traits(traits)
      .images(images)
      .packed("packed", panels<false>)
      .type(correlation)
      .gradient([](Gradient& g, const Correlate& a) {
        if (g.wanted(0)) g.dx(0, adjoint_like(g, g.dy(), g.x(1), g.x(0), a));
        if (g.wanted(1)) g.dx(1, kernel_like(g, g.x(0), g.dy(), g.x(1), a));
      })
      .kernel("depthwise", correlation_kernel<false, true>)
      .kernel("panels", correlation_kernel<false, false>);

  op.attributes<Correlate>(CANTIK_CORRELATE_SIGNATURE("correlate_adjoint", "y, w, like=None"))
      .inputs(2, 3)
      .traits(traits)
      .images(images)
      .packed("packed", panels<true>)
      .type(infer_adjoint)
      .gradient([](Gradient& g, const Correlate& a) {
        if (g.wanted(0)) g.dx(0, correlated(g, g.dy(), g.x(1), a));
        if (g.wanted(1)) g.dx(1, kernel_like(g, g.dy(), g.x(0), g.x(1), a));
      })
      .kernel("depthwise", correlation_kernel<true, true>)
      .kernel("panels", correlation_kernel<true, false>);

  op.attributes<Correlate>(CANTIK_CORRELATE_SIGNATURE("correlate_kernel", "x, y"))
      .traits(CANTIK_HIDDEN | CANTIK_SUMS_ROWS)
      .type([](Infer& in, const Correlate& a) {
        TypeView t = in.join(0, 1, a.shape);
        t.axes = CANTIK_NO_AXES;
        in.set(t);
      })
      .gradient([](Gradient& g, const Correlate& a) {
        if (g.wanted(0)) g.dx(0, adjoint_like(g, g.x(1), g.dy(), g.x(0), a));
        if (g.wanted(1)) g.dx(1, correlated(g, g.x(0), g.dy(), a));
      })
      .finish([](Builder& b, const Correlate& a) {
        Term sums = b.call("convolution_sums", {b.x(0), b.x(1)}, {CANTIK_WINDOW(a), {"shape", a.shape}});
        b.result(b.call("unpack_convolution", {sums}, {{"groups", a.groups}, {"shape", a.shape}}));
      });

  op.attributes<Pack>(
        "pack_convolution(w, kernel, stride, dilation, lower, upper, automatic, ceil=False, groups=1, "
        "adjoint=False)")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Pack& a) {
        Shape w = in.shape(0);
        in.set(in.like(0, w.is_static() ? Shape{host::packed_convolution_elements(in.in(0).dtype, w,
                                                                                  {a, a.groups, a.adjoint})}
                                        : Shape{kFree}));
      })
      .kernel("depthwise",
              [](const Prepare& p, const Pack& a) {
                return host::make_pack_depthwise(p, {a, a.groups, a.adjoint});
              })
      .kernel("panels", [](const Prepare& p, const Pack& a) {
        return host::make_pack_convolution(p, {a, a.groups, a.adjoint});
      });

  op.attributes<Correlate>(CANTIK_CORRELATE_SIGNATURE("convolution_sums", "x, dy"))
      .traits(CANTIK_HIDDEN | CANTIK_SUMS_ROWS)
      .images({.last = "last", .operands = {0, 1}, .preferred = true})
      .type([](Infer& in, const Correlate& a) {
        TypeView t = in.join(0, 1,
                             a.shape.is_static()
                                 ? host::convolution_sums_shape(in.in(0).dtype, a.shape, {a, a.groups, false})
                                 : Shape{kFree, kFree, kFree});
        t.axes = CANTIK_NO_AXES;
        in.set(t);
      })
      .kernel("depthwise",
              [](const Prepare& p, const Correlate& a) {
                if (!a.last) throw declined("channels come first");
                return host::make_depthwise_sums(p, {a, a.groups, false}, a.shape);
              })
      .kernel("pixels", [](const Prepare& p, const Correlate& a) {
        if (!a.last) throw declined("channels come first");
        return host::make_convolution_sums(p, {a, a.groups, false}, a.shape);
      });

  op.attributes<Unpack>("unpack_convolution(sums, groups=1, shape=[])")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Unpack& a) { in.set(in.like(0, a.shape)); })
      .kernel("depthwise",
              [](const Prepare& p, const Unpack& a) {
                return host::make_unpack_depthwise(p, {{}, a.groups, false});
              })
      .kernel("unpack", [](const Prepare& p, const Unpack& a) {
        return host::make_unpack_convolution(p, {{}, a.groups, false});
      });
}

#undef CANTIK_WINDOW
#undef CANTIK_CORRELATE_SIGNATURE
