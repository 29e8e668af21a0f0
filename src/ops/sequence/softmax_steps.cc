// y[t] = e^x[t] / sum of e^x[u] over the steps u of a sequence, element by element.
#include <cmath>

#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

// As CNTK spells it.
constexpr auto compose = [](Builder& b) {
  Term x = b.x();
  Term e = b.call("exp", {x - b.call("sequence_broadcast_as", {b.call("sequence_reduce_max", {x}), x})});
  b.result(b.call("element_divide", {e, b.call("sequence_broadcast_as", {b.call("sequence_reduce_sum", {e}), x})}));
};

constexpr auto infer = [](Infer& in) {
  sequences::want_sequence(in.in(0), CANTIK_VALUE);
  in.set(in.like(0, in.shape(0)));
};

// One column at a time, in the order of steps.
constexpr auto rows = [](auto zero, const Run& r, const NoAttributes&) {
  using T = decltype(zero);
  const int64_t* offsets = r.in(0).offsets;
  int64_t n = r.out().stride;
  for (int64_t s = r.begin(); s < r.end(); ++s)
    for (int64_t k = 0; k < n; ++k) {
      T most = -INFINITY, sum = 0;
      for (int64_t row = offsets[s]; row < offsets[s + 1]; ++row) most = std::max(most, r.row<T>(0, row)[k]);
      for (int64_t row = offsets[s]; row < offsets[s + 1]; ++row) sum += r.result<T>(0, row)[k] = std::exp(r.row<T>(0, row)[k] - most);
      for (int64_t row = offsets[s]; row < offsets[s + 1]; ++row) r.result<T>(0, row)[k] /= sum;
    }
};

}  // namespace

CANTIK_OP(softmax_steps) {
  op.signature("sequence_softmax(seq, name='')")
      .doc("e^x / sum of e^x over the steps of each sequence, element by element.")
      .type(infer)
      .composite(compose)
      .lower([](Builder& b) { b.result(b.call("softmax_steps", {b.x()})); })
      .cntk_block("Sequence::Softmax")
      .named("test.lengths", "3,1,5")
      .sample({{2}});

  op.signature("softmax_steps(x)")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE)
      .type(infer)
      .gradient([](Gradient& g) {
        Term y = g.y(), dy = g.dy();
        g.dx(0, g.map({y, dy, g.call("sum_steps", {y * dy})}, [](Real y, Real dy, Real sum) { return y * (dy - sum); }));
      })
      .kernel("columns", rows);
}
