// y[i_perm] = x[i]: the axes in another order.
#include <algorithm>

#include <cantik/op.h>

#include "backends/forms.h"
#include "ops/axis_of.h"

using namespace cantik;

namespace {

struct Transpose {
  std::vector<int64_t> perm;                                   // all axes, or
  int64_t axis1 = axis_code::kNone, axis2 = axis_code::kNone;  // two that change places
  static constexpr auto fields() {
    return list(field("perm", &Transpose::perm, "for each axis of the result, the axis of x")
                    .key("axisVec")
                    .role(CANTIK_PERMUTATION),
                field("axis1", &Transpose::axis1, "one of two axes that change places")
                    .key("axis1")
                    .role(CANTIK_AXIS),
                field("axis2", &Transpose::axis2, "the other").key("axis2").role(CANTIK_AXIS));
  }
};

struct Swap {
  int64_t axis1 = 0, axis2 = 1;
  static constexpr auto fields() {
    return list(field("axis1", &Swap::axis1, "one of the two").role(CANTIK_AXIS),
                field("axis2", &Swap::axis2, "the other").role(CANTIK_AXIS));
  }
};

constexpr int64_t kFirstAxisInFront = -32;

// One of two axes that change places, counted from the last one, may stand in front of the first: so many
// axes of size 1 are put there.
int axes_in_front(const Transpose& a, int rank) {
  const int64_t first = std::min(a.axis1, a.axis2), second = std::max(a.axis1, a.axis2);
  const bool is_in_front = rank > 0 && first >= kFirstAxisInFront && first < -rank && second >= -rank;
  return a.axis1 != axis_code::kNone && is_in_front ? static_cast<int>(-rank - first) : 0;
}

Shape with_axes_in_front(const Transpose& a, const Shape& x) {
  Shape y;
  for (int i = axes_in_front(a, x.rank()); i > 0; --i) y.push_back(1);
  for (int64_t size : x) y.push_back(size);
  return y;
}

// For each axis of the result one of those that `with_axes_in_front` gives.
std::vector<int> order(const Transpose& a, int rank) {
  std::vector<int> p;
  if (a.axis1 != axis_code::kNone) {
    const int front = axes_in_front(a, rank);
    auto place = [&](int64_t code) {
      return code < 0 && front ? static_axis(code, rank + front) : static_axis(code, rank) + front;
    };
    for (int i = 0; i < rank + front; ++i) p.push_back(i);
    std::swap(p[place(a.axis1)], p[place(a.axis2)]);
    return p;
  }
  if (static_cast<int>(a.perm.size()) != rank)
    throw value_failure("the permutation has " + std::to_string(a.perm.size()) +
                            " axes, but the operand has " + std::to_string(rank),
                        "name each axis once");
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (int64_t code : a.perm) {
    int i = static_axis(code, rank);
    if (seen[i])
      throw value_failure("the permutation names the axis " + std::to_string(i) + " twice",
                          "name each axis once");
    seen[i] = true;
    p.push_back(i);
  }
  return p;
}

}  // namespace

CANTIK_OP(transpose) {
  op.attributes<Transpose>("transpose(x, perm, name='')")
      .doc("The axes in another order: axis i of the result is axis perm[i] of x.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in, const Transpose& a) {
        Shape x = in.shape(0);
        if (!x.is_known()) {
          in.set(in.like(0, Shape::unknown()));
          return;
        }
        const Shape from = with_axes_in_front(a, x);
        Shape y;
        for (int i : order(a, x.rank())) y.push_back(from[i]);
        in.set(in.like(0, y));
      })
      .gradient([](Gradient& g, const Transpose& a) {
        const int rank = g.x().shape().rank();
        std::vector<int> p = order(a, rank);
        std::vector<int64_t> back(p.size());
        for (size_t i = 0; i < p.size(); ++i) back[p[i]] = static_cast<int64_t>(i);
        Term dx = g.call("transpose", {g.dy()}, {{"perm", back}});
        g.dx(0, static_cast<int>(p.size()) == rank ? dx : g.call("view", {dx}, {{"shape", g.x().shape()}}));
      })
      .form("squares",
            [](const Prepare& p, const Transpose& a) {
              Shape x = p.in(0).shape, y = p.out().shape;
              forms::CopyPart part;
              std::vector<int64_t> from = forms::strides_of(with_axes_in_front(a, x));
              for (int i : order(a, x.rank())) part.from.push_back(from[i]);
              part.to = forms::strides_of(y);
              part.size.assign(y.begin(), y.end());
              return forms::copy(p, {part});
            })
      .cntk("TransposeAxes", 12)
      .onnx_write("Transpose",
                  [](OnnxGraph& g, const Transpose& a) {
                    const int lead = g.lead(), rank = g.shape().rank();
                    std::vector<int64_t> perm;
                    for (int i = 0; i < lead; ++i) perm.push_back(i);
                    for (int i : order(a, rank)) perm.push_back(lead + i);
                    const OnnxValue x = g.inserted(g.x(), lead, axes_in_front(a, rank));
                    g.result(g.node("Transpose", {x}, {{"perm", perm}}));
                  })
      .onnx_read("Transpose",
                 [](OnnxNode& n) {
                   Term x = n.x();
                   const int rank = n.rank(x);
                   std::vector<int64_t> perm = n.integers("perm");
                   if (perm.empty())
                     for (int i = rank; i-- > 0;) perm.push_back(i);
                   if (static_cast<int>(perm.size()) != rank)
                     throw value_failure("perm names other axes than there are");
                   bool stays = true;
                   for (int i = 0; i < n.lead(x); ++i) stays = stays && perm[i] == i;
                   if (!stays) x = n.plain(x);
                   const int lead = n.lead(x);
                   std::vector<int64_t> statics;
                   for (int64_t p : perm)
                     if (p >= lead) statics.push_back(p - lead);
                   const std::vector<int64_t> dims = n.dims(x);
                   bool same = true;
                   for (size_t i = 0; i < statics.size(); ++i)
                     same = same && statics[i] == static_cast<int64_t>(i);
                   Term y = same ? x : n.call("transpose", {x}, {{"perm", statics}});
                   // axes keep their sizes
                   std::vector<int64_t> made;
                   for (int64_t p : perm) made.push_back(dims[n.axis_of(p, rank)]);
                   n.result(n.with_dims(y, made));
                 })
      .sample({{2, 3}}, {.perm = {1, 0}})
      .sample({{2, 3, 4}}, {.perm = {2, 0, 1}})
      .sample({{2, 3}}, {.axis1 = -1, .axis2 = -3})
      .sample({{3}}, {.axis1 = -4, .axis2 = 0});

  op.attributes<Swap>("swapaxes(x, axis1=0, axis2=1, name='')")
      .doc(
          "Two axes change places. One of them, counted from the last axis, may stand in front of the first: "
          "[3] becomes [3, 1] with -1 and -2.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Swap& a) {
        const int64_t one = axis_or_in_front(a.axis1, b.x()), two = axis_or_in_front(a.axis2, b.x());
        b.result(b.call("transpose", {b.x()}, {{"axis1", one}, {"axis2", two}}));
      })
      .sample({{2, 3}})
      .sample({{2, 3, 4}}, {.axis1 = 0, .axis2 = 2})
      .sample({{2, 3}}, {.axis1 = 0, .axis2 = -3});
}
