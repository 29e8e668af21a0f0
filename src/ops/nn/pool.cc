// Pooling and its adjoints, whatever operator they come from. Channels come first in window_*, last in
// pool_*, which have the kernels. A maximum's place is the number of the tap it stands at, the first of equal
// ones.
//
//   window_max(x)                 -> y               pool_max
//   window_max_places(x)          -> y, places       pool_max_places
//   window_max_back(dy, places)   -> dx              pool_max_back
//   window_average(x)             -> y               pool_average
//   window_average_back(dy)       -> dx              pool_average_back
//   window_unpool(x, places)      -> y               pool_unpool
//   window_pick(dy, places)       -> dx              pool_pick: the gradient of window_unpool, its adjoint
//   where windows do not overlap
#include <tuple>

#include <cantik/op.h>

#include "backends/cpu/pooling_kernels.h"

using namespace cantik;
using cpu::Pooling;

namespace {

struct Pool : cpu::Window {
  bool include_padding = false;
  Shape shape;  // of an adjoint's result; free pixels are those of the last operand
  static constexpr auto fields() {
    return std::tuple_cat(
        Window::fields(),
        list(field("include_padding", &Pool::include_padding, "whether padding counts in averages"),
             field("shape", &Pool::shape, "of an adjoint's result").role(CANTIK_SHAPE_OF)));
  }
};

#define CANTIK_POOL(a)                                                                              \
  {"kernel", (a).kernel}, {"stride", (a).stride}, {"dilation", (a).dilation}, {"lower", (a).lower}, \
      {"upper", (a).upper}, {"automatic", (a).automatic}, {"ceil", (a).ceil},                       \
      {"include_padding", (a).include_padding}, {                                                   \
    "shape", (a).shape                                                                              \
  }

Shape pooled(const Pool& a, Shape x, int first) {
  for (int i = 0; i < a.rank(); ++i)
    if (x[first + i] >= 0) x[first + i] = a.result_size(i, x[first + i]);
  return x;
}

Shape turned(const Shape& s) { return s.sub(1, s.rank()) + s.sub(0, 1); }

template <int kOutputs>
constexpr auto forward_first = [](Infer& in, const Pool& a) {
  for (int i = 0; i < kOutputs; ++i) in.set(i, in.like(0, pooled(a, in.shape(0), 1)));
};
template <int kOutputs>
constexpr auto forward_last = [](Infer& in, const Pool& a) {
  for (int i = 0; i < kOutputs; ++i) in.set(i, in.like(0, pooled(a, in.shape(0), 0)));
};
// The adjoint's result; `like` is the operand that has its type where its pixels are free.
constexpr auto back_first = [](Infer& in, const Pool& a) {
  in.set(in.like(0, a.shape.has_free() ? in.shape(in.inputs() - 1) : a.shape));
};
constexpr auto back_last = [](Infer& in, const Pool& a) {
  in.set(in.like(0, turned(a.shape.has_free() ? in.shape(in.inputs() - 1) : a.shape)));
};

Term back(Builder& b, const char* op, std::vector<Term> in, Term like, const Pool& given) {
  Pool a = given;
  a.shape = like.shape();
  if (a.shape.has_free()) in.push_back(like);
  return b.call_all(op, in, {CANTIK_POOL(a)}, 1)[0];
}

// With `operands` that have pixels turned, the channels-last operator, and its results turned back.
void run_last(Builder& b, const char* op, int operands, int results, const Pool& a) {
  std::vector<Term> in;
  for (int i = 0; i < b.inputs(); ++i)
    in.push_back(i < operands ? b.call("channels_last", {b.x(i)}) : b.x(i));
  std::vector<Term> out = b.call_all(op, in, {CANTIK_POOL(a)}, results);
  for (int i = 0; i < results; ++i) b.result(i, b.call("channels_first", {out[static_cast<size_t>(i)]}));
}

template <Pooling kKind>
constexpr auto kernel =
    [](const Prepare& p, const Pool& a) { return cpu::make_pooling(p, a, kKind, a.include_padding); };

#define CANTIK_POOL_SIGNATURE(name, operands) \
  name "(" operands                           \
       ", kernel, stride, dilation, lower, upper, automatic, ceil=False, include_padding=False, shape=[])"

}  // namespace

CANTIK_OP(pool) {
  constexpr uint64_t traits = CANTIK_HIDDEN | CANTIK_ROW_WISE, run = traits | CANTIK_EPILOGUE;

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("window_max", "x"))
      .traits(traits)
      .type(forward_first<1>)
      .finish([](Builder& b, const Pool& a) { run_last(b, "pool_max", 1, 1, a); });
  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_max", "x"))
      .traits(run)
      .type(forward_last<1>)
      .kernel("channels", kernel<Pooling::max>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("window_max_places", "x"))
      .traits(traits)
      .outputs(2)
      .type(forward_first<2>)
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, back(g, "window_max_back", {g.dy(0), g.y(1)}, g.x(0), a));
      })
      .finish([](Builder& b, const Pool& a) { run_last(b, "pool_max_places", 1, 2, a); });
  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_max_places", "x"))
      .traits(traits)
      .outputs(2)
      .type(forward_last<2>)
      .kernel("channels", kernel<Pooling::max>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("window_max_back", "dy, places, like=None"))
      .inputs(2, 3)
      .traits(traits)
      .type(back_first)
      // linear in dy: what each window takes is what lies at its place
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, back(g, "window_pick", {g.dy(), g.x(1)}, g.x(0), a));
      })
      .finish([](Builder& b, const Pool& a) { run_last(b, "pool_max_back", 2, 1, a); });
  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_max_back", "dy, places, like=None"))
      .inputs(2, 3)
      .traits(run)
      .type(back_last)
      .kernel("channels", kernel<Pooling::max_back>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("window_average", "x"))
      .traits(traits)
      .type(forward_first<1>)
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, back(g, "window_average_back", {g.dy()}, g.x(0), a));
      })
      .finish([](Builder& b, const Pool& a) { run_last(b, "pool_average", 1, 1, a); });
  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_average", "x"))
      .traits(run)
      .type(forward_last<1>)
      .kernel("channels", kernel<Pooling::average>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("window_average_back", "dy, like=None"))
      .inputs(1, 2)
      .traits(traits)
      .type(back_first)
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, g.call("window_average", {g.dy()}, {CANTIK_POOL(a)}));
      })
      .finish([](Builder& b, const Pool& a) { run_last(b, "pool_average_back", 1, 1, a); });
  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_average_back", "dy, like=None"))
      .inputs(1, 2)
      .traits(run)
      .type(back_last)
      .kernel("channels", kernel<Pooling::average_back>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("window_unpool", "x, places, like=None"))
      .inputs(2, 3)
      .traits(traits)
      .type(back_first)
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, back(g, "window_pick", {g.dy(), g.x(1)}, g.x(0), a));
      })
      .finish([](Builder& b, const Pool& a) { run_last(b, "pool_unpool", 2, 1, a); });
  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_unpool", "x, places, like=None"))
      .inputs(2, 3)
      .traits(run)
      .type(back_last)
      .kernel("channels", kernel<Pooling::unpool>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("window_pick", "dy, places, like=None"))
      .inputs(2, 3)
      .traits(traits)
      .type(back_first)
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, back(g, "window_max_back", {g.dy(), g.x(1)}, g.x(0), a));
      })
      .finish([](Builder& b, const Pool& a) { run_last(b, "pool_pick", 2, 1, a); });
  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_pick", "dy, places, like=None"))
      .inputs(2, 3)
      .traits(run)
      .type(back_last)
      .kernel("channels", kernel<Pooling::pick>);
}
