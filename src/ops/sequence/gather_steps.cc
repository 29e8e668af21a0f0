// Steps of a sequence by their places: those where a condition holds.
#include <string>
#include <vector>

#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct ChosenSteps {
  std::vector<int64_t> new_sequence_axis_typeinfo;
  static constexpr auto fields() {
    return list(
        field("new_sequence_axis_typeinfo", &ChosenSteps::new_sequence_axis_typeinfo,
              "where the lengths of the result are known: a times those of the condition plus b, as (a, b)"));
  }
};

// The row of x that a place in sequence s is.
template <class T>
int64_t row_at(const cantik_operand& x, int64_t s, T place) {
  int64_t at = data_index(place), n = sequences::length(x, s);
  if (at < 0 || at >= n) throw sequences::no_step(place, s, n);
  return sequences::first(x, s) + at;
}

template <class T>
struct Gathered {
  template <class Put>
  void rows(const Run& r, int64_t s, Put&& put) const {
    const cantik_operand& places = r.in(1);
    for (int64_t i = sequences::first(places, s), to = sequences::first(r.out(), s);
         i < sequences::last(places, s); ++i, ++to)
      put(to, row_at(r.in(0), s, *r.row<T>(1, i)));
  }
};

}  // namespace

CANTIK_OP(gather_steps) {
  // CNTK's index of a step among all of a minibatch. Here it stays the place in its sequence.
  op.signature("packed_index(source, index, name='')")
      .doc("The places of steps among those of a minibatch.")
      .traits(CANTIK_HIDDEN | CANTIK_NO_GRADIENT)
      .type([](Infer& in) { in.set(in.like(1, Shape())); })
      .lower([](Builder& b) { b.result(b.x(1)); })
      .cntk("PackedIndex", 28);

  op.signature("gather_packed(source, index, name='')")
      .doc("Steps by their places.")
      .traits(sequences::kMoves)
      .type([](Infer& in) {
        TypeView x = in.in(0), places = in.in(1);
        if (x.axes == CANTIK_NO_AXES)
          throw Failure(CANTIK_RUNTIME, "the operand has no steps to choose from",
                        "give the operand a batch or a sequence axis");
        in.set(sequences::with_axes_of(in.view(0, x.shape), places));
      })
      .gradient([](Gradient& g) {
        if (g.wanted(0)) g.dx(0, g.call("add_steps", {g.dy(), g.x(1), g.x(0)}));
      })
      .kernel("rows",
              [](const Prepare& p, const NoAttributes&) {
                return p.dtype() == DType::float64 ? sequences::moved(p, Gathered<double>{})
                                                   : sequences::moved(p, Gathered<float>{});
              })
      .cntk("GatherPacked", 29);

  op.attributes<ChosenSteps>("sequence_gather(seq, condition, new_sequence_axis_typeinfo=None, name='')")
      .doc(
          "The steps at which the condition is not 0, as a sequence on an axis of its own; the same "
          "condition gives the same axis.")
      .composite([](Builder& b, const ChosenSteps& a) {
        const std::vector<int64_t>& info = a.new_sequence_axis_typeinfo;
        if (!info.empty() && info.size() != 2)
          throw value_failure("new_sequence_axis_typeinfo must be two numbers, and has " +
                              std::to_string(info.size()));
        Term places = info.empty()
                          ? b.call("sequence_where", {b.x(1)})
                          : b.call("sequence_where", {b.x(1)}, {{"scale", info[0]}, {"add", info[1]}});
        b.result(b.call("gather_packed", {b.x(0), b.call("packed_index", {b.x(0), places})}));
      })
      .cntk_block("Sequence::Gather")
      .named("test.lengths", "3,1,5")
      .named("test.operands", "qm")
      .sample({{2}, {1}});
}
