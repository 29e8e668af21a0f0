// A convolution and its relatives, whatever operator they come from; channels come first. All three are
// linear in each operand, so that their gradients are one another.
//
//   correlate(w, x):             y[f] = sum over channels c and taps t of w[f, c, t] * x[c, window(t)]
//   correlate_adjoint(w, y):     x[c] = sum over filters f and taps t of w[f, c, t] * y[f, window],
//                                of the window whose tap t is here
//   correlate_kernel(x, y):      w[f, c, t] = sum over rows and windows of x[c, window(t)] * y[f, window]
//
// w: [filters, channels / groups, taps...], x: [channels, pixels...], y: [filters, windows...].
#include <tuple>

#include <cantik/op.h>

#include "ops/nn/convolution_geometry.h"

using namespace cantik;

namespace {

struct Correlate : cpu::Window {
  int64_t groups = 1;
  static constexpr auto fields() {
    return std::tuple_cat(Window::fields(), list(field("groups", &Correlate::groups, "of channels")));
  }
};

struct CorrelateTo : Correlate {
  Shape shape;  // of the result; free pixels are those of the last operand
  static constexpr auto fields() {
    return std::tuple_cat(Correlate::fields(),
                          list(field("shape", &CorrelateTo::shape, "of the result").role(CANTIK_SHAPE_OF)));
  }
};

#define CANTIK_WINDOW(a)                                                                            \
  {"kernel", (a).kernel}, {"stride", (a).stride}, {"dilation", (a).dilation}, {"lower", (a).lower}, \
      {"upper", (a).upper}, {"automatic", (a).automatic}, {                                         \
    "groups", (a).groups                                                                            \
  }

// The adjoint's result has the type of x. Where its pixels are free, x says how many there are.
Term adjoint_like(Builder& b, Term w, Term y, Term x, const Correlate& a) {
  Shape shape = x.shape();
  std::vector<Term> in{w, y};
  if (shape.has_free()) in.push_back(x);
  return b.call_all("correlate_adjoint", in, {CANTIK_WINDOW(a), {"shape", shape}}, 1)[0];
}
Term correlated(Builder& b, Term w, Term x, const Correlate& a) {
  return b.call("correlate", {w, x}, {CANTIK_WINDOW(a)});
}
Term kernel_like(Builder& b, Term x, Term y, Term w, const Correlate& a) {
  Shape shape = w.shape();
  return b.call("correlate_kernel", {x, y}, {CANTIK_WINDOW(a), {"shape", shape}});
}

// Channels last where there are pixels at all.
Term last(Builder& b, Term x) { return x.shape().rank() > 1 ? b.call("channels_last", {x}) : x; }
Term first(Builder& b, Term x) { return x.shape().rank() > 1 ? b.call("channels_first", {x}) : x; }

}  // namespace

CANTIK_OP(correlate) {
  op.attributes<Correlate>(
        "correlate(w, x, kernel, stride, dilation, lower, upper, automatic, ceil=False, groups=1)")
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const Correlate& a) { infer_correlation(in, a); })
      .gradient([](Gradient& g, const Correlate& a) {
        if (g.wanted(0)) g.dx(0, kernel_like(g, g.x(1), g.dy(), g.x(0), a));
        if (g.wanted(1)) g.dx(1, adjoint_like(g, g.x(0), g.dy(), g.x(1), a));
      })
      .finish([](Builder& b, const Correlate& a) {
        Term panels = b.call("pack_convolution", {b.x(0)}, {CANTIK_WINDOW(a)});
        b.result(first(b, b.call("convolve", {last(b, b.x(1)), panels},
                                 {CANTIK_WINDOW(a), {"filters", b.x(0).shape()[0]}})));
      });

  op.attributes<CorrelateTo>(
        "correlate_adjoint(w, y, like=None, kernel, stride, dilation, lower, upper, automatic, ceil=False, "
        "groups=1, shape=[])")
      .inputs(2, 3)
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE)
      .type([](Infer& in, const CorrelateTo& a) {
        Shape x = a.shape;
        if (in.inputs() > 2) x = in.shape(2);
        in.set(in.join(1, 0, x));
      })
      .gradient([](Gradient& g, const CorrelateTo& a) {
        if (g.wanted(0)) g.dx(0, kernel_like(g, g.dy(), g.x(1), g.x(0), a));
        if (g.wanted(1)) g.dx(1, correlated(g, g.x(0), g.dy(), a));
      })
      .finish([](Builder& b, const CorrelateTo& a) {
        Term panels = b.call("pack_convolution", {b.x(0)}, {CANTIK_WINDOW(a), {"adjoint", true}});
        std::vector<Term> in{last(b, b.x(1)), panels};
        if (b.inputs() > 2) in.push_back(b.x(2));
        Shape size = a.shape.sub(1, a.shape.rank());
        b.result(first(
            b, b.call_all("convolve", in,
                          {CANTIK_WINDOW(a), {"filters", a.shape[0]}, {"adjoint", true}, {"size", size}},
                          1)[0]));
      });

  op.attributes<CorrelateTo>(
        "correlate_kernel(x, y, kernel, stride, dilation, lower, upper, automatic, ceil=False, groups=1, "
        "shape=[])")
      .traits(CANTIK_HIDDEN | CANTIK_SUMS_ROWS)
      .type([](Infer& in, const CorrelateTo& a) {
        TypeView t = in.join(0, 1, a.shape);
        t.axes = CANTIK_NO_AXES;
        in.set(t);
      })
      .gradient([](Gradient& g, const CorrelateTo& a) {
        if (g.wanted(0)) g.dx(0, adjoint_like(g, g.dy(), g.x(1), g.x(0), a));
        if (g.wanted(1)) g.dx(1, correlated(g, g.dy(), g.x(0), a));
      })
      .finish([](Builder& b, const CorrelateTo& a) {
        Term sums = b.call("convolution_sums", {last(b, b.x(0)), last(b, b.x(1))},
                           {CANTIK_WINDOW(a), {"shape", a.shape}});
        b.result(b.call("unpack_convolution", {sums}, {{"groups", a.groups}, {"shape", a.shape}}));
      });
}
