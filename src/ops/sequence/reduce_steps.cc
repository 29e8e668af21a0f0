// The sum and the largest numbers over the steps of each sequence, element by element.
#include <vector>
#include <algorithm>
#include <limits>

#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

// As CNTK spells it: steps as an axis, padded with what changes nothing, and reduced.
void compose_reduction(Builder& b, double padding, const char* reduction, bool keepdims = false) {
  Shape x = b.x().type().shape;
  int64_t front = x.is_known() ? -(x.rank() + 1) : 0;  // the axis of the steps
  Term steps = b.call("unpack_values", {b.x()}, {{"padding_value", padding}});
  b.result(b.call("reduce_elements", {steps},
                  {{"axis", front}, {"reduction", reduction}, {"keepdims", keepdims}}));
}

constexpr auto infer_reduction = [](Infer& in) {
  sequences::want_sequence(in.in(0), CANTIK_VALUE);
  in.set(sequences::one_a_sequence(in.like(0, in.shape(0))));
};

template <bool kLargest>
constexpr auto extreme = [](auto zero, const Run& r, const NoAttributes&) {
  using T = decltype(zero);
  const cantik_operand& x = r.in(0);
  int64_t n = r.out().stride;
  for (int64_t s = r.begin(); s < r.end(); ++s) {
    T* y = r.result<T>(0, s);
    std::fill_n(y, n, (kLargest ? -1 : 1) * std::numeric_limits<T>::infinity());
    for (int64_t row = x.offsets[s]; row < x.offsets[s + 1]; ++row) {
      const T* v = r.row<T>(0, row);
      // NaN is not passed over
      for (int64_t k = 0; k < n; ++k) y[k] = (kLargest ? y[k] > v[k] : y[k] < v[k]) ? y[k] : v[k];
    }
  }
};

constexpr auto reduction_gradient = [](Gradient& g) {
  g.dx(0, g.map({g.x(), g.y(), g.dy()}, [](Real x, Real y, Real dy) { return select(x == y, dy, 0); }));
};

}  // namespace

CANTIK_OP(reduce_steps) {
  op.signature("sequence_reduce_sum(seq, name='')")
      .doc("The sum over the steps of each sequence. That of no steps is 0.")
      .type(infer_reduction)
      .composite([](Builder& b) { compose_reduction(b, 0, "Sum"); })
      .lower([](Builder& b) { b.result(b.call("sum_steps", {b.x()})); })
      .onnx_write(
          "ReduceSum",
          [](OnnxGraph& g) { g.result(g.node("ReduceSum", {g.x(), g.integers({0})}, {{"keepdims", 0}})); })
      .cntk_block("Sequence::ReduceElements")
      .named("test.lengths", "3,1,5")
      .sample({{2}})
      .sample({{}});

  op.signature("sequence_reduce_max(seq, name='')")
      .doc(
          "The largest number over the steps of each sequence, element by element. That of no steps is "
          "-infinity.")
      .type(infer_reduction)
      .composite([](Builder& b) { compose_reduction(b, -std::numeric_limits<double>::infinity(), "Max"); })
      .lower([](Builder& b) { b.result(b.call("largest_steps", {b.x()})); })
      .onnx_write(
          "ReduceMax",
          [](OnnxGraph& g) {
            if (g.version() >= 18)
              g.result(g.node("ReduceMax", {g.x(), g.integers({0})}, {{"keepdims", 0}}));
            else
              g.result(g.node("ReduceMax", {g.x()}, {{"axes", std::vector<int64_t>{0}}, {"keepdims", 0}}));
          })
      .cntk_block("Sequence::ReduceElements")
      .named("test.lengths", "3,1,5")
      .sample({{2}});

  op.signature("largest_steps(x)")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE)
      .type(infer_reduction)
      .gradient(reduction_gradient)
      .kernel("rows", extreme<true>);

  // What reduce_min makes of the sequence axis: it stays, as a static axis of size 1.
  op.signature("least_of_steps(seq, name='')")
      .doc("The smallest number over the steps of each sequence, element by element.")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in) {
        sequences::want_sequence(in.in(0), CANTIK_VALUE);
        Shape x = in.shape(0);
        in.set(sequences::one_a_sequence(in.like(0, x.is_known() ? Shape{1} + x : x)));
      })
      .composite(
          [](Builder& b) { compose_reduction(b, std::numeric_limits<double>::infinity(), "Min", true); })
      .lower([](Builder& b) {
        b.result(b.call("view", {b.call("smallest_steps", {b.x()})}, {{"shape", Shape{1} + b.x().shape()}}));
      })
      .cntk_block("Sequence::ReduceElements");

  op.signature("smallest_steps(x)")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE)
      .type(infer_reduction)
      .gradient(reduction_gradient)
      .kernel("rows", extreme<false>);
}
