// y[t] = x[t - k] and y[t] = x[t + k]; where that lies outside of the sequence, the initial state.
//
// The gradient of the one is the other. Rows of an initial state that is a sequence are its last k (its first
// k, looking ahead).
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct Delay {
  int64_t time_step = 1;
  static constexpr auto fields() {
    return list(field("time_step", &Delay::time_step, "how many steps back or ahead").key("offset"));
  }
};
struct Border {
  int64_t time_step = 1;
  bool ahead = false;
  static constexpr auto fields() {
    return list(field("time_step", &Border::time_step, "how many steps"),
                field("ahead", &Border::ahead, "whether the delay looks ahead"));
  }
};

constexpr auto infer_delay = [](Infer& in, const Delay& a) {
  TypeView x = in.in(0), state = in.in(1);
  sequences::want_sequence(x);
  if (a.time_step > INT32_MAX)
    throw value_failure("time_step must be at most 2147483647, and is " + std::to_string(a.time_step));
  if (a.time_step < 0)
    throw value_failure("time_step must not be negative, and is " + std::to_string(a.time_step),
                        "use sequence.delay, or the function that looks the other way");
  if (state.is_dense() && state.shape.is_known() && x.shape.is_known()) {
    Shape known = x.shape;
    if (int more = state.shape.rank() - x.shape.rank(); more > 0)
      known = Shape(std::vector<int64_t>(static_cast<size_t>(more), 1)) + known;
    int offset = known.rank() - state.shape.rank();
    Shape result = known;  // of steps and state together
    for (int i = 0; i < state.shape.rank(); ++i) {
      int64_t d = state.shape[i], &to = known[offset + i];
      if (to == kInferred && d > 1) to = d;
      result[offset + i] = to == 1 || (to < 0 && d > 1) ? d : to;
      if (d != 1 && d >= 0 && to != 1 && to >= 0 && d != to)
        throw shape_failure("the initial state has the shape " + state.shape.text() +
                            ", which does not broadcast to steps of the shape " + x.shape.text());
    }
    if (x.shape.has_inferred() && known.rank() == x.shape.rank()) in.refine(0, known);
    if (state.shape.has_inferred()) {
      Shape whole = state.shape;
      for (int i = 0; i < whole.rank(); ++i)
        if (whole[i] == kInferred && known[offset + i] >= 0) whole[i] = known[offset + i];
      in.refine(1, whole);
    }
    x.shape = result;
  }
  if (x.dtype != DType::unknown && state.dtype != DType::unknown && x.dtype != state.dtype)
    throw value_failure("the operand and its initial state have different element types, " +
                            std::string(name_of(x.dtype)) + " and " + std::string(name_of(state.dtype)),
                        "cast one of them");
  x.storage = CANTIK_DENSE;
  x.entries = 0;
  in.set(x);
};

// Which row of a state of m rows stands in for row t of x, of n rows. A single row stands for all.
int64_t state_row(const cantik_operand& state, int64_t s, int64_t t, int64_t n, int64_t k, bool ahead) {
  if (!state.offsets) return sequences::first(state, s);
  int64_t m = sequences::length(state, s);
  if (m == 1) return state.offsets[s];
  if (m < k)
    throw value_failure("sequence " + std::to_string(s) + " of the initial state has " +
                            sequences::counted(m, "step") + ", but time_step is " + std::to_string(k),
                        "give an initial state with one step, or with as many steps as time_step");
  return state.offsets[s] + (ahead ? t + k - n : m + t - k);
}

template <class T>
struct Delayed final : Kernel {
  int64_t k, width;
  bool ahead;
  std::vector<int32_t> places;  // where each number of a step lies in the state; empty: in the same place
  Delayed(const Shape& x, const Shape& state, int64_t k, bool ahead)
      : k(k), width(x.elements()), ahead(ahead) {
    if (state.elements() == width) return;
    std::vector<int64_t> strides(x.size(), 0);
    int64_t stride = 1;
    for (int i = state.rank(); i-- > 0; stride *= state[i])
      if (state[i] != 1) strides[i + x.rank() - state.rank()] = stride;
    std::vector<int64_t> at(x.size(), 0);
    for (int64_t e = 0; e < width; ++e) {
      int64_t place = 0;
      for (size_t i = 0; i < at.size(); ++i) place += at[i] * strides[i];
      places.push_back(static_cast<int32_t>(place));
      for (size_t i = at.size(); i-- > 0 && ++at[i] == x[static_cast<int>(i)];) at[i] = 0;
    }
    state_bytes = static_cast<int64_t>(places.capacity() * sizeof places[0]);
  }
  void run(const Run& r) const override {
    const cantik_operand &x = r.in(0), &state = r.in(1);
    for (int64_t s = r.begin(); s < r.end(); ++s) {
      int64_t first = x.offsets[s], n = x.offsets[s + 1] - first;
      for (int64_t t = 0; t < n; ++t) {
        T* y = r.result<T>(0, first + t);
        int64_t from = ahead ? t + k : t - k;
        if (from >= 0 && from < n) {
          std::copy_n(r.row<T>(0, first + from), width, y);
          continue;
        }
        const T* v = state.rows == 1 && !state.offsets && state.stride == 0
                         ? static_cast<const T*>(state.data)
                         : r.row<T>(1, state_row(state, s, t, n, k, ahead));
        if (places.empty())
          std::copy_n(v, width, y);
        else
          for (int64_t e = 0; e < width; ++e) y[e] = v[places[e]];
      }
    }
  }
};

// What each row of the initial state stood for, summed: the gradient of a delay by its state.
template <class T>
struct BorderSum final : Kernel {
  int64_t k, width;
  bool ahead;
  BorderSum(int64_t width, int64_t k, bool ahead) : k(k), width(width), ahead(ahead) {}
  void run(const Run& r) const override {
    const cantik_operand &dy = r.in(0), &state = r.out();
    for (int64_t s = r.begin(); s < r.end(); ++s) {
      for (int64_t row = sequences::first(state, s); row < sequences::last(state, s); ++row)
        std::fill_n(r.result<T>(0, row), width, T(0));
      int64_t first = dy.offsets[s], n = dy.offsets[s + 1] - first, border = std::min(k, n);
      for (int64_t t = ahead ? n - border : 0, end = ahead ? n : border; t < end; ++t) {
        T* d = r.result<T>(0, state_row(state, s, t, n, k, ahead));
        const T* from = r.row<T>(0, first + t);
        for (int64_t e = 0; e < width; ++e) d[e] += from[e];
      }
    }
  }
};

template <bool kAhead>
void delay_gradient(Gradient& g, const Delay& a) {
  if (g.wanted(0)) {
    const Shape x = g.x().shape();
    Term dx = g.call(kAhead ? "past_value" : "future_value", {g.dy(), g.constant(0, g.dy())},
                     {{"time_step", a.time_step}});
    const bool turned = !(dx.shape() == x) && dx.shape().elements() == x.elements();  // [1, n] and [n]
    g.dx(0, turned ? g.call("view", {dx}, {{"shape", x}}) : dx);
  }
  if (g.wanted(1))
    g.dx(1, g.call("delay_border", {g.dy(), g.x(1)}, {{"time_step", a.time_step}, {"ahead", kAhead}}));
}

// The primitive, or, with a step of 0, the operand itself.
void spell(Builder& b, int64_t step) {
  if (step == 0) return b.result(b.x());
  Term state = b.inputs() > 1 ? b.x(1) : b.constant(0, b.x());
  const int64_t steps = step > 0 ? step : -std::max(step, -INT64_MAX);  // all sequences are shorter
  b.result(b.call(step > 0 ? "past_value" : "future_value", {b.x(), state}, {{"time_step", steps}}));
}
void spell_as_given(Builder& b, const char* op, int64_t step) {
  Term state = b.inputs() > 1 ? b.x(1) : b.constant(0, b.x());
  b.result(b.call(op, {b.x(), state}, {{"time_step", step}}));
}

}  // namespace

CANTIK_OP(past_value) {
  op.attributes<Delay>("past_value(x, initial_state, time_step=1, name='')")
      .doc("The step time_step before, at the beginning of a sequence the initial state.")
      .traits(CANTIK_HIDDEN | CANTIK_DELAY | CANTIK_BY_SEQUENCE)
      .delay(CANTIK_PAST)
      .type(infer_delay)
      .gradient([](Gradient& g, const Delay& a) { delay_gradient<false>(g, a); })
      .kernel("rows",
              [](const Prepare& p, const Delay& a) {
                return of_type<Delayed>(p.dtype(), p.out().shape, p.in(1).shape, a.time_step, false);
              })
      .cntk("PastValue", 37);

  op.attributes<Delay>("future_value(x, initial_state, time_step=1, name='')")
      .doc("The step time_step behind, at the end of a sequence the initial state.")
      .traits(CANTIK_HIDDEN | CANTIK_DELAY | CANTIK_BY_SEQUENCE)
      .delay(CANTIK_FUTURE)
      .type(infer_delay)
      .gradient([](Gradient& g, const Delay& a) { delay_gradient<true>(g, a); })
      .kernel("rows",
              [](const Prepare& p, const Delay& a) {
                return of_type<Delayed>(p.dtype(), p.out().shape, p.in(1).shape, a.time_step, true);
              })
      .cntk("FutureValue", 38);

  op.attributes<Border>("delay_border(dy, state, time_step=1, ahead=False)")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE)
      .delay(CANTIK_BORDER)
      .layout_only(1)
      .type([](Infer& in, const Border&) {
        TypeView t = in.like(0, in.shape(0)), state = in.in(1);
        in.set(state.has_sequence() ? sequences::with_axes_of(t, state) : sequences::one_a_sequence(t));
      })
      .kernel("rows", [](const Prepare& p, const Border& a) {
        return of_type<BorderSum>(p.dtype(), p.out().shape.elements(), a.time_step, a.ahead);
      });

  op.attributes<Delay>("sequence_past_value(x, initial_state=None, time_step=1, name='')")
      .doc(
          "The step time_step before each step. The first ones get the initial state: 0, a constant or "
          "parameter, a value for each sequence, or the last steps of "
          "another sequence.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Delay& a) { spell_as_given(b, "past_value", a.time_step); })
      .named("test.lengths", "3,1,5")
      .sample({{2}})
      .sample({{2, 2}, {2}}, {.time_step = 2});

  op.attributes<Delay>("sequence_future_value(x, initial_state=None, time_step=1, name='')")
      .doc(
          "The step time_step behind each step. The last ones get the initial state: 0, a constant or "
          "parameter, a value for each sequence, or the first steps of "
          "another sequence.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Delay& a) { spell_as_given(b, "future_value", a.time_step); })
      .named("test.lengths", "3,1,5")
      .sample({{2}})
      .sample({{2, 2}, {2}}, {.time_step = 2});

  op.attributes<Delay>("sequence_delay(x, initial_state=None, time_step=1, name='')")
      .doc("The step time_step before each step, where it is negative behind it; 0 gives the operand itself.")
      .traits(CANTIK_SPELLED_OUT)
      .composite([](Builder& b, const Delay& a) { spell(b, a.time_step); })
      .named("test.lengths", "3,1,5")
      .sample({{2}}, {.time_step = 2})
      .sample({{2}}, {.time_step = -1});
}
