// A part of each sequence, from a step counted from its beginning or its end to another one; its first and
// its last step.
#include <algorithm>
#include <span>
#include <string>

#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct Slice {
  int64_t begin_index = 0, end_index = 0;
  static constexpr auto fields() {
    return list(
        field("begin_index", &Slice::begin_index, "the first step; negative: from the end")
            .role(CANTIK_SIGNED),
        field("end_index", &Slice::end_index, "the first step that is not taken; 0 or negative: from the end")
            .role(CANTIK_SIGNED));
  }
};

// What is known of the length: this many steps, or, where it is below 1, so many fewer than there are.
int64_t known_length(const Slice& a) {
  return a.end_index == 0 ? -a.begin_index : a.end_index - a.begin_index;
}
bool is_one_step(const Slice& a) { return known_length(a) == 1; }

struct Range {
  int64_t first, count;
};
Range range(const Slice& a, int64_t n) {
  int64_t from = a.begin_index < 0 ? n + a.begin_index : a.begin_index,
          to = a.end_index <= 0 ? n + a.end_index : a.end_index;
  from = std::clamp<int64_t>(from, 0, n);
  return {from, std::max<int64_t>(std::clamp<int64_t>(to, 0, n) - from, 0)};
}

struct Taken {
  Slice a;
  template <class Put>
  void rows(const Run& r, int64_t s, Put&& put) const {
    const cantik_operand& x = r.in(0);
    Range part = range(a, sequences::length(x, s));
    for (int64_t i = 0, to = sequences::first(r.out(), s); i < part.count; ++i)
      put(to + i, x.offsets[s] + part.first + i);
  }
  void lengths(const Run& r, std::span<int64_t> out) const {
    for (size_t s = 0; s < out.size(); ++s)
      out[s] = range(a, sequences::length(r.in(0), static_cast<int64_t>(s))).count;
  }
};

struct TakenOne {
  Slice a;
  template <class Put>
  void rows(const Run& r, int64_t s, Put&& put) const {
    const cantik_operand& x = r.in(0);
    int64_t n = sequences::length(x, s);
    Range part = range(a, n);
    if (part.count == 0) {
      std::string which = a.begin_index == 0    ? "first step"
                          : a.begin_index == -1 ? "last step"
                                                : "step " + std::to_string(a.begin_index);
      throw Failure(CANTIK_RUNTIME, "sequence " + std::to_string(s) + " has no " + which + ": it has " +
                                        sequences::counted(n, "step"));
    }
    put(s, x.offsets[s] + part.first);
  }
};

// Steps of the result that were taken get their rows back, the others 0.
struct Returned {
  Slice a;
  template <class Put>
  void rows(const Run& r, int64_t s, Put&& put) const {
    int64_t n = sequences::length(r.out(), s), first = sequences::first(r.out(), s),
            from = sequences::first(r.in(0), s);
    Range part = range(a, n);
    for (int64_t t = 0; t < n; ++t)
      put(first + t, t >= part.first && t < part.first + part.count ? from + t - part.first : -1);
  }
};

// 1 at the first k steps, or at the last ones; as CNTK spells it.
Term first_steps(Builder& b, int64_t k, bool from_end) {
  Term one = b.constant(1, b.x()), zero = b.constant(0, b.x());
  return b.call(from_end ? "future_value" : "past_value",
                {b.call("reconcile_dynamic_axes", {zero, b.x()}), one}, {{"time_step", k}});
}

void compose_slice(Builder& b, const Slice& a) {
  sequences::want_dynamic_axis(b.x().type());
  Term begin, end;
  auto others = [&](Term t) { return b.call("minus", {b.constant(1, b.x()), t}); };
  if (a.end_index > 0) end = first_steps(b, a.end_index, false);
  if (a.end_index < 0) end = others(first_steps(b, -a.end_index, true));
  if (a.begin_index > 0) begin = others(first_steps(b, a.begin_index, false));
  if (a.begin_index < 0) begin = first_steps(b, -a.begin_index, true);
  Term condition = begin && end ? begin * end : begin ? begin : end;
  int64_t n = known_length(a);
  Term places = b.call("sequence_where", {condition}, {{"scale", n > 0 ? 0 : 1}, {"add", n}});
  b.result(b.call("gather_packed", {b.x(), b.call("packed_index", {b.x(), places})}));
}

Term take(Builder& b, Term x, int64_t begin, int64_t end) {
  if (begin == 0 && end == 0) return x;
  if (begin == end)
    throw value_failure("the slice of steps is empty: it goes from " + std::to_string(begin) + " to " +
                        std::to_string(end));
  return b.call("slice_steps", {x}, {{"begin_index", begin}, {"end_index", end}});
}

template <class Plan>
constexpr auto kernel = [](const Prepare& p, const Slice& a) { return sequences::moved(p, Plan{a}); };

}  // namespace

CANTIK_OP(slice_steps) {
  op.attributes<Slice>("slice_steps(seq, begin_index, end_index, name='')")
      .doc("A part of each sequence.")
      .traits(CANTIK_HIDDEN | CANTIK_TAKES_SPARSE)
      .composite([](Builder& b, const Slice& a) { compose_slice(b, a); })
      .lower([](Builder& b, const Slice& a) {
        b.result(b.call(is_one_step(a) ? "take_step" : "take_steps", {b.x()},
                        {{"begin_index", a.begin_index}, {"end_index", a.end_index}}));
      })
      .onnx_write("Slice",
                  [](OnnxGraph& g, const Slice& a) {
                    OnnxValue y = g.node(
                        "Slice", {g.x(), g.integers({a.begin_index}),
                                  g.integers({a.end_index == 0 ? INT64_MAX : a.end_index}), g.integers({0})});
                    g.result(is_one_step(a) ? g.squeeze(y, {0}) : y);
                  })
      .cntk_block("Sequence::Slice")
      .cntk_form({.delays = {"begin_index", "end_index"}});

  op.attributes<Slice>("take_steps(x, begin_index, end_index)")
      .traits(sequences::kMoves | CANTIK_OWN_AXIS)
      .type([](Infer& in, const Slice& a) {
        TypeView x = in.in(0);
        int64_t n = known_length(a);
        if (x.has_sequence())
          x.sequence_axis = in.derived_axis(x.sequence_axis, n > 0 ? "_fixedSliceOf_" + std::to_string(n)
                                                                   : "_times_1_minus_" + std::to_string(-n));
        in.set(x);
      })
      .gradient([](Gradient& g, const Slice& a) {
        g.dx(0, g.call("return_steps", {g.dy(), g.x()},
                       {{"begin_index", a.begin_index}, {"end_index", a.end_index}}));
      })
      .kernel("rows", kernel<Taken>);

  op.attributes<Slice>("take_step(x, begin_index, end_index)")
      .traits(sequences::kMoves)
      .type([](Infer& in, const Slice&) { in.set(sequences::one_a_sequence(in.in(0))); })
      .gradient([](Gradient& g, const Slice& a) {
        g.dx(0, g.call("return_steps", {g.dy(), g.x()},
                       {{"begin_index", a.begin_index}, {"end_index", a.end_index}}));
      })
      .kernel("rows", kernel<TakenOne>);

  op.attributes<Slice>("return_steps(y, x, begin_index, end_index)")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE)
      .layout_only(1)
      .type(
          [](Infer& in, const Slice&) { in.set(sequences::with_axes_of(in.like(0, in.shape(0)), in.in(1))); })
      .gradient([](Gradient& g, const Slice& a) {
        bool one = !g.x().type().has_sequence();
        if (g.wanted(0))
          g.dx(0, g.call(one ? "take_step" : "take_steps", {g.dy()},
                         {{"begin_index", a.begin_index}, {"end_index", a.end_index}}));
      })
      .kernel("rows", kernel<Returned>);

  op.attributes<Slice>("sequence_slice(seq, begin_index, end_index, name='')")
      .doc(
          "The steps from begin_index to before end_index of each sequence. Negative numbers count from the "
          "end; the end 0 is the end of the sequence. A slice of one "
          "step is a batch, without a sequence axis.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Slice& a) { b.result(take(b, b.x(), a.begin_index, a.end_index)); })
      .named("test.lengths", "3,2,5")
      .sample({{2}}, {.begin_index = 1})
      .sample({{2}}, {.begin_index = -2})
      .sample({{2}}, {.begin_index = 1, .end_index = 2});

  op.signature("sequence_first(seq, name='')")
      .doc("The first step of each sequence.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b) { b.result(take(b, b.x(), 0, 1)); })
      .named("test.lengths", "3,1,5")
      .sample({{2}});

  op.signature("sequence_last(seq, name='')")
      .doc("The last step of each sequence.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b) { b.result(take(b, b.x(), -1, 0)); })
      .named("test.lengths", "3,1,5")
      .sample({{2}});
}
