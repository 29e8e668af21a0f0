// 1 at the first, or the last, step of each sequence, 0 elsewhere.
#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

// As CNTK spells it: zeros, delayed by a step, with the initial state 1. So a part of a sequence is not taken
// for its beginning.
void compose_is_first(Builder& b, const char* delay) {
  Term one = b.constant(1, b.x()), zero = b.constant(0, b.x());
  b.result(b.call(delay, {b.call("reconcile_dynamic_axes", {zero, b.x()}), one}));
}

constexpr auto infer_is_first = [](Infer& in) {
  sequences::want_dynamic_axis(in.in(0));
  sequences::want_sequence(in.in(0));
  in.set(in.like(0, Shape()));
};

constexpr uint64_t kTraits = CANTIK_NO_GRADIENT | CANTIK_TAKES_SPARSE;

}  // namespace

CANTIK_OP(is_first) {
  op.signature("sequence_is_first(seq, name='')")
      .doc("1 at the first step of each sequence, 0 elsewhere.")
      .traits(kTraits)
      .layout_only(0)
      .type(infer_is_first)
      .composite([](Builder& b) { compose_is_first(b, "past_value"); })
      .cntk_block("Sequence::IsFirst")
      .named("test.lengths", "3,1,5")
      .sample({{2}});

  op.signature("sequence_is_last(seq, name='')")
      .doc("1 at the last step of each sequence, 0 elsewhere.")
      .traits(kTraits)
      .layout_only(0)
      .type(infer_is_first)
      .composite([](Builder& b) { compose_is_first(b, "future_value"); })
      .cntk_block("Sequence::IsLast")
      .named("test.lengths", "3,1,5")
      .sample({{2}});
}
