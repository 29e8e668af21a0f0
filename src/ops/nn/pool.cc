// Pooling and its adjoints, whatever operator they come from. Their kernels want channels last. A maximum's
// place is the number of the tap it stands at, the first of equal ones.
//
//   pool_max(x)                 -> y
//   pool_max_places(x)          -> y, places
//   pool_max_back(dy, places)   -> dx
//   pool_average(x)             -> y
//   pool_average_back(dy)       -> dx
//   pool_unpool(x, places)      -> y
//   pool_pick(dy, places)       -> dx    the gradient of pool_unpool, its adjoint where windows do not
//   overlap
#include <tuple>

#include <cantik/op.h>

#include "backends/host/pooling.h"

using namespace cantik;
using host::Pooling;

namespace {

struct Pool : Window {
  bool include_padding = false, last = false;
  Shape shape;  // of an adjoint's result, with channels first; free pixels are those of the last operand
  static constexpr auto fields() {
    return std::tuple_cat(
        Window::fields(),
        list(field("include_padding", &Pool::include_padding, "whether padding counts in averages"),
             field("shape", &Pool::shape, "of an adjoint's result").role(CANTIK_SHAPE_OF),
             field("last", &Pool::last, "whether the channels are the last axis")));
  }
};

#define CANTIK_POOL(a)                                                                              \
  {"kernel", (a).kernel}, {"stride", (a).stride}, {"dilation", (a).dilation}, {"lower", (a).lower}, \
      {"upper", (a).upper}, {"automatic", (a).automatic}, {"ceil", (a).ceil},                       \
      {"include_padding", (a).include_padding}, {                                                   \
    "shape", (a).shape                                                                              \
  }

template <int kOutputs>
constexpr auto forward = [](Infer& in, const Pool& a) {
  Shape x = in.shape(0);
  for (int i = 0; i < a.rank(); ++i)
    if (int64_t& d = x[i + (a.last ? 0 : 1)]; d >= 0) d = a.result_size(i, d);
  for (int i = 0; i < kOutputs; ++i) in.set(i, in.like(0, x));
};
// The adjoint's result; the last operand, with its channels first, has its type where its pixels are free.
constexpr auto backward = [](Infer& in, const Pool& a) {
  const Shape x = a.shape.has_free() ? in.shape(in.inputs() - 1) : a.shape;
  in.set(in.like(0, a.last ? x.sub(1, x.rank()) + x.sub(0, 1) : x));
};

Term call_adjoint(Builder& b, const char* op, std::vector<Term> in, Term like, const Pool& given) {
  Pool a = given;
  a.shape = like.shape();
  if (a.shape.has_free()) in.push_back(like);
  return b.call_all(op, in, {CANTIK_POOL(a)}, 1)[0];
}

template <Pooling kKind>
constexpr auto pooling_kernel = [](const Prepare& p, const Pool& a) {
  if (!a.last) throw declined("channels come first");
  return host::make_pooling(p, a, kKind, a.include_padding);
};

#define CANTIK_POOL_SIGNATURE(name, operands)                                                               \
  name "(" operands                                                                                         \
       ", kernel, stride, dilation, lower, upper, automatic, ceil=False, include_padding=False, shape=[], " \
       "last=False)"

}  // namespace

CANTIK_OP(pool) {
  constexpr uint64_t traits = CANTIK_HIDDEN | CANTIK_ROW_WISE;
  const Images one{.last = "last", .operands = {0}, .results = {0}, .preferred = true};
  const Images two{.last = "last", .operands = {0, 1}, .results = {0}, .preferred = true};

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_max", "x"))
      .traits(traits | CANTIK_EPILOGUE)
      .images(one)
      .type(forward<1>)
      .kernel("channels", pooling_kernel<Pooling::max>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_max_places", "x"))
      .traits(traits)
      .outputs(2)
      .images({.last = "last", .operands = {0}, .results = {0, 1}, .preferred = true})
      .type(forward<2>)
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, call_adjoint(g, "pool_max_back", {g.dy(0), g.y(1)}, g.x(0), a));
      })
      .kernel("channels", pooling_kernel<Pooling::max>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_max_back", "dy, places, like=None"))
      .inputs(2, 3)
      .traits(traits | CANTIK_EPILOGUE)
      .images(two)
      .type(backward)
      // linear in dy: what each window takes is what lies at its place
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, call_adjoint(g, "pool_pick", {g.dy(), g.x(1)}, g.x(0), a));
      })
      .kernel("channels", pooling_kernel<Pooling::max_back>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_average", "x"))
      .traits(traits | CANTIK_EPILOGUE)
      .images(one)
      .type(forward<1>)
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, call_adjoint(g, "pool_average_back", {g.dy()}, g.x(0), a));
      })
      .kernel("channels", pooling_kernel<Pooling::average>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_average_back", "dy, like=None"))
      .inputs(1, 2)
      .traits(traits | CANTIK_EPILOGUE)
      .images(one)
      .type(backward)
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, g.call("pool_average", {g.dy()}, {CANTIK_POOL(a)}));
      })
      .kernel("channels", pooling_kernel<Pooling::average_back>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_unpool", "x, places, like=None"))
      .inputs(2, 3)
      .traits(traits | CANTIK_EPILOGUE)
      .images(two)
      .type(backward)
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, call_adjoint(g, "pool_pick", {g.dy(), g.x(1)}, g.x(0), a));
      })
      .kernel("channels", pooling_kernel<Pooling::unpool>);

  op.attributes<Pool>(CANTIK_POOL_SIGNATURE("pool_pick", "dy, places, like=None"))
      .inputs(2, 3)
      .traits(traits | CANTIK_EPILOGUE)
      .images(two)
      .type(backward)
      .gradient([](Gradient& g, const Pool& a) {
        if (g.wanted(0)) g.dx(0, call_adjoint(g, "pool_max_back", {g.dy(), g.x(1)}, g.x(0), a));
      })
      .kernel("channels", pooling_kernel<Pooling::pick>);
}

#undef CANTIK_POOL
#undef CANTIK_POOL_SIGNATURE
