// Steps put where a condition holds, with zeros between: the reverse of gather.
#include <algorithm>
#include <string>
#include <vector>

#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct ScatteredSteps {
  std::vector<int64_t> new_sequence_axis_typeinfo;
  static constexpr auto fields() {
    return list(field("new_sequence_axis_typeinfo", &ScatteredSteps::new_sequence_axis_typeinfo,
                      "two numbers, which change nothing: the result has the lengths of the condition"));
  }
};

// Places are those of where(): they rise.
template <class T>
struct Scattered {
  template <class Put>
  void rows(const Run& r, int64_t s, Put&& put) const {
    const cantik_operand &x = r.in(0), &places = r.in(1), &y = r.out();
    int64_t given = sequences::length(x, s), wanted = sequences::length(places, s);
    if (given != wanted)
      throw value_failure("sequence " + std::to_string(s) + " of the operand has " +
                          sequences::counted(given, "step") + ", but the condition holds " +
                          sequences::counted(wanted, "time"));
    int64_t next = sequences::first(places, s), end = sequences::last(places, s),
            from = sequences::first(x, s), n = sequences::length(y, s);
    for (int64_t t = 0; t < n; ++t) {
      bool here = next < end && data_index(*r.row<T>(1, next)) == t;
      put(sequences::first(y, s) + t, here ? from++ : -1);
      next += here;
    }
    if (next == end) return;
    const T place = *r.row<T>(1, next);
    if (int64_t at = data_index(place); at < 0 || at >= n)
      throw sequences::no_step(place, s, n, "was to be set");
    throw Failure(CANTIK_RUNTIME, "the indices of sequence " + std::to_string(s) + " must rise: step " +
                                      text_of_index(place) + " comes after a later one");
  }
};

// The gradient of gathering: rows added up at their places, which may be any.
constexpr auto add_rows = [](auto zero, const Run& r, const NoAttributes&) {
  using T = decltype(zero);
  const cantik_operand &x = r.in(0), &y = r.out();
  for (int64_t s = r.begin(); s < r.end(); ++s) {
    for (int64_t row = sequences::first(y, s); row < sequences::last(y, s); ++row)
      std::fill_n(r.result<T>(0, row), y.stride, T(0));
    for (int64_t i = sequences::first(x, s); i < sequences::last(x, s); ++i) {
      const int64_t at = data_index(*r.row<T>(1, i)), n = sequences::length(y, s);
      if (at < 0 || at >= n) throw sequences::no_step(*r.row<T>(1, i), s, n);
      T* to = r.result<T>(0, sequences::first(y, s) + at);
      const T* from = r.row<T>(0, i);
      for (int64_t e = 0; e < y.stride; ++e) to[e] += from[e];
    }
  }
};

}  // namespace

CANTIK_OP(scatter_steps) {
  op.signature("scatter_packed(source, index, condition, name='')")
      .doc("Steps put at their places among those of the condition.")
      .traits(sequences::kMoves)
      .layout_only(2)
      .type([](Infer& in) { in.set(sequences::with_axes_of(in.view(0, in.shape(0)), in.in(2))); })
      .gradient([](Gradient& g) {
        // The places are on the axis of where(), and the operand may be on another one.
        if (g.wanted(0))
          g.dx(0, g.call("reconcile_dynamic_axes", {g.call("gather_packed", {g.dy(), g.x(1)}), g.x(0)}));
      })
      .kernel("rows",
              [](const Prepare& p, const NoAttributes&) {
                return p.dtype() == DType::float64 ? sequences::moved(p, Scattered<double>{})
                                                   : sequences::moved(p, Scattered<float>{});
              })
      .cntk("ScatterPacked", 30);

  op.signature("add_steps(x, index, like)")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE)
      .layout_only(2)
      .type([](Infer& in) { in.set(sequences::with_axes_of(in.like(0, in.shape(0)), in.in(2))); })
      .gradient([](Gradient& g) {
        if (g.wanted(0)) g.dx(0, g.call("gather_packed", {g.dy(), g.x(1)}));
      })
      .kernel("add", add_rows);

  op.attributes<ScatteredSteps>("sequence_scatter(seq, condition, new_sequence_axis_typeinfo=None, name='')")
      .doc("The steps of seq one after the other where the condition is not 0, zeros elsewhere.")
      .composite([](Builder& b, const ScatteredSteps& a) {
        sequences::want_dynamic_axis(b.x(0).type());
        const std::vector<int64_t>& info = a.new_sequence_axis_typeinfo;
        if (!info.empty() && info.size() != 2)
          throw value_failure("new_sequence_axis_typeinfo must be two numbers, and has " +
                              std::to_string(info.size()));
        Term places = b.call("packed_index", {b.x(1), b.call("sequence_where", {b.x(1)})});
        b.result(b.call("scatter_packed", {b.x(0), places, b.x(1)}));
      })
      .cntk_block("Sequence::Scatter")
      .named("test.lengths", "3,1,5")
      .named("test.operands", "qh")
      .sample_between(1, 1, {{2}, {1}});  // all steps
}
