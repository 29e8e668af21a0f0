// Convolutions over channels-last images with packed kernels: what correlate and its relatives run as.
//
//   convolve(x, panels):              [pixels..., channels] -> [pixels..., filters]
//   convolve(dy, panels, adjoint):    back from a convolution's result to its operand
//   convolution_sums(x, dy, like):    the kernel's gradient, summed over rows, in the inner loops' order
//   unpack_convolution(sums):         the same in the kernel's order, [filters, channels / groups, taps...]
#include <tuple>

#include <cantik/op.h>

#include "backends/cpu/convolution_kernels.h"

using namespace cantik;

namespace {

struct Pack : cpu::Window {
  int64_t groups = 1;
  bool adjoint = false;
  static constexpr auto fields() {
    return std::tuple_cat(Window::fields(),
                          list(field("groups", &Pack::groups, "of channels"),
                               field("adjoint", &Pack::adjoint, "from the result back to the operand")));
  }
};

struct Convolve : cpu::Window {
  int64_t groups = 1, filters = 1;
  bool adjoint = false;
  Shape size;  // of the adjoint's result; free where it is that of the last operand
  static constexpr auto fields() {
    return std::tuple_cat(
        Window::fields(),
        list(field("groups", &Convolve::groups, "of channels"),
             field("filters", &Convolve::filters, "channels of the result"),
             field("adjoint", &Convolve::adjoint, "from the result back to the operand"),
             field("size", &Convolve::size, "pixels of the adjoint's result").role(CANTIK_SHAPE_OF)));
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

struct Sums : cpu::Window {
  int64_t groups = 1;
  Shape shape;
  static constexpr auto fields() {
    return std::tuple_cat(Window::fields(),
                          list(field("groups", &Sums::groups, "of channels"),
                               field("shape", &Sums::shape, "of the kernel").role(CANTIK_SHAPE_OF)));
  }
};

constexpr auto convolved = [](Infer& in, const Convolve& a) {
  Shape x = in.shape(0), y = a.size;
  if (!a.adjoint) {
    y = x.sub(0, x.rank() - 1);
    for (int i = 0; i < y.rank(); ++i)
      if (y[i] >= 0) y[i] = a.result_size(i, y[i]);
  }
  for (int i = 0; i < y.rank(); ++i)
    if (a.adjoint && y[i] < 0) y[i] = in.shape(2)[i + 1];  // like the operand, which has channels first
  y.push_back(a.filters);
  in.set(in.like(0, y));
};

}  // namespace

CANTIK_OP(convolve) {
  op.attributes<Pack>(
        "pack_convolution(w, kernel, stride, dilation, lower, upper, automatic, ceil=False, groups=1, "
        "adjoint=False)")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Pack& a) {
        Shape w = in.shape(0);
        in.set(in.like(0, w.is_static() ? Shape{cpu::packed_convolution_elements(in.in(0).dtype, w,
                                                                                 {a, a.groups, a.adjoint})}
                                        : Shape{kFree}));
      })
      .kernel("depthwise",
              [](const Prepare& p, const Pack& a) {
                return cpu::make_pack_depthwise(p, {a, a.groups, a.adjoint});
              })
      .kernel("panels", [](const Prepare& p, const Pack& a) {
        return cpu::make_pack_convolution(p, {a, a.groups, a.adjoint});
      });

  op.attributes<Convolve>(
        "convolve(x, panels, like=None, kernel, stride, dilation, lower, upper, automatic, ceil=False, "
        "groups=1, filters=1, adjoint=False, size=[])")
      .inputs(2, 3)
      .traits(CANTIK_HIDDEN | CANTIK_ROW_WISE | CANTIK_EPILOGUE)
      .type(convolved)
      .kernel("depthwise",
              [](const Prepare& p, const Convolve& a) {
                return cpu::make_convolve(p, {a, a.groups, a.adjoint}, true);
              })
      .kernel("panels", [](const Prepare& p, const Convolve& a) {
        return cpu::make_convolve(p, {a, a.groups, a.adjoint}, false);
      });

  op.attributes<Sums>(
        "convolution_sums(x, dy, kernel, stride, dilation, lower, upper, automatic, ceil=False, groups=1, "
        "shape=[])")
      .traits(CANTIK_HIDDEN | CANTIK_SUMS_ROWS)
      .type([](Infer& in, const Sums& a) {
        TypeView t = in.join(0, 1,
                             a.shape.is_static()
                                 ? cpu::convolution_sums_shape(in.in(0).dtype, a.shape, {a, a.groups, false})
                                 : Shape{kFree, kFree, kFree});
        t.axes = CANTIK_NO_AXES;
        in.set(t);
      })
      .kernel("depthwise",
              [](const Prepare& p, const Sums& a) {
                return cpu::make_depthwise_sums(p, {a, a.groups, false}, a.shape);
              })
      .kernel("pixels", [](const Prepare& p, const Sums& a) {
        return cpu::make_convolution_sums(p, {a, a.groups, false}, a.shape);
      });

  op.attributes<Unpack>("unpack_convolution(sums, groups=1, shape=[])")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Unpack& a) { in.set(in.like(0, a.shape)); })
      .kernel("depthwise",
              [](const Prepare& p, const Unpack& a) {
                return cpu::make_unpack_depthwise(p, {{}, a.groups, false});
              })
      .kernel("unpack", [](const Prepare& p, const Unpack& a) {
        return cpu::make_unpack_convolution(p, {{}, a.groups, false});
      });
}
