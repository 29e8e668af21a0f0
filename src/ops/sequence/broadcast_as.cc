// A value for each sequence, at each of its steps; and values on other axes whose lengths agree.
#include <algorithm>
#include <string>

#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

// Rows of x on the axes of another value: step for step where a sequence has as many, its single one at each
// of them.
struct BroadcastRows {
  template <class Put>
  void rows(const Run& r, int64_t s, Put&& put) const {
    const cantik_operand &x = r.in(0), &y = r.out();
    int64_t have = sequences::length(x, s), n = sequences::length(y, s);
    if (have != n && have != 1)
      throw value_failure("sequence " + std::to_string(s) + " of the operand has " +
                              sequences::counted(have, "step") + ", but that of broadcast_as has " +
                              sequences::counted(n, "step"),
                          "give both the same lengths, or give the operand's sequences one step each");
    for (int64_t t = 0; t < n; ++t)
      put(sequences::first(y, s) + t, sequences::first(x, s) + (have == 1 ? 0 : t));
  }
};

// And back: rows are added where one stood for several.
constexpr auto part = [](auto zero, const Run& r, const NoAttributes&) {
  using T = decltype(zero);
  const cantik_operand &x = r.in(0), &y = r.out();
  for (int64_t s = r.begin(); s < r.end(); ++s) {
    int64_t to = sequences::first(y, s), n = sequences::length(y, s), have = sequences::length(x, s);
    for (int64_t t = 0; t < n; ++t) std::fill_n(r.result<T>(0, to + t), y.stride, T(0));
    for (int64_t t = 0; t < have; ++t) {
      const T* from = r.row<T>(0, sequences::first(x, s) + t);
      T* d = r.result<T>(0, to + (n == 1 ? 0 : t));
      for (int64_t e = 0; e < y.stride; ++e) d[e] += from[e];
    }
  }
};

}  // namespace

CANTIK_OP(broadcast_as) {
  op.signature("sequence_broadcast_as(operand, broadcast_as_operand, name='')")
      .doc("The operand, one value for each sequence, at each step of broadcast_as_operand.")
      .layout_only(1)
      .traits(CANTIK_TAKES_SPARSE)
      .composite([](Builder& b) { b.result(b.call("reconcile_dynamic_axes", {b.x(0), b.x(1)})); })
      .cntk_block("Sequence::BroadcastAs")
      .named("test.lengths", "3,1,5")
      .named("test.operands", "bq")
      .sample({{2}, {3}});

  op.signature("join_steps(x, like)")
      .traits(sequences::kMoves | CANTIK_STEP_BY_STEP)
      .layout_only(1)
      .type([](Infer& in) { in.set(sequences::with_axes_of(in.view(0, in.shape(0)), in.in(1))); })
      .gradient([](Gradient& g) {
        if (g.wanted(0)) g.dx(0, g.call("part_steps", {g.dy(), g.x(0)}));
      })
      .kernel("rows",
              [](const Prepare& p, const NoAttributes&) { return sequences::moved(p, BroadcastRows{}); });

  op.signature("part_steps(x, like)")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE)
      .layout_only(1)
      .type([](Infer& in) { in.set(sequences::with_axes_of(in.like(0, in.shape(0)), in.in(1))); })
      .gradient([](Gradient& g) {
        if (g.wanted(0)) g.dx(0, g.call("join_steps", {g.dy(), g.x(0)}));
      })
      .kernel("add", part);
}
