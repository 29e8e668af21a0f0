// y[t] = e^x[t] / sum of e^x[u] over the steps u of a sequence, element by element.
#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

// As CNTK spells it.
constexpr auto compose_softmax_of_steps = [](Builder& b) {
  Term x = b.x();
  Term e = b.call("exp", {x - b.call("sequence_broadcast_as", {b.call("sequence_reduce_max", {x}), x})});
  b.result(b.call("element_divide",
                  {e, b.call("sequence_broadcast_as", {b.call("sequence_reduce_sum", {e}), x})}));
};

constexpr auto infer_softmax = [](Infer& in) {
  sequences::want_sequence(in.in(0), CANTIK_VALUE);
  in.set(in.like(0, in.shape(0)));
};

}  // namespace

CANTIK_OP(softmax_steps) {
  op.signature("sequence_softmax(seq, name='')")
      .doc("e^x / sum of e^x over the steps of each sequence, element by element.")
      .type(infer_softmax)
      .composite(compose_softmax_of_steps)
      .lower([](Builder& b) { b.result(b.call("softmax_steps", {b.x()})); })
      .onnx_write("Softmax", [](OnnxGraph& g) { g.result(g.node("Softmax", {g.x()}, {{"axis", 0}})); })
      .cntk_block("Sequence::Softmax")
      .named("test.lengths", "3,1,5")
      .sample({{2}});

  op.signature("softmax_steps(x)")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE)
      .type(infer_softmax)
      .gradient([](Gradient& g) {
        Term y = g.y(), dy = g.dy();
        g.dx(0, g.map({y, dy, g.call("sum_steps", {y * dy})},
                      [](Real p, Real d, Real sum) { return p * (d - sum); }));
      })
      .finish([](Builder& b) {  // runs over the steps of all sequences, and sums of each
        Term x = b.x();
        Term e = b.map({x, b.call("largest_steps", {x})}, [](Real v, Real most) { return exp(v - most); });
        b.result(b.map({e, b.call("sum_steps", {e})}, [](Real v, Real sum) { return v / sum; }));
      });
}
