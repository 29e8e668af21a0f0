// The places of the steps where a condition holds, as sequences of their own: [1, 0, 1] gives [0, 2].
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct SequenceWhere {
  // what is known of the lengths: scale times those of the condition, plus add
  std::optional<int64_t> scale, add;
  int64_t axis = axis_code::kNone;
  static constexpr auto fields() {
    return list(field("scale", &SequenceWhere::scale, "the length of the result for a step of the condition")
                    .key("newSequenceAxisLengthScalingFactor"),
                field("add", &SequenceWhere::add, "what is added to that")
                    .key("newSequenceAxisLengthAdditiveFactor")
                    .role(CANTIK_SIGNED),
                field("axis", &SequenceWhere::axis, "the axis of the result")
                    .key("newDynamicAxes")
                    .role(CANTIK_NEW_AXIS));
  }
};

// CNTK names an axis of known length after the one it comes from, another one after the condition.
int64_t axis_of(const Infer& in, const SequenceWhere& a) {
  if (a.axis != axis_code::kNone) return a.axis;
  int64_t from = in.in(0).sequence_axis;
  if (!a.scale || !a.add) return in.named_axis("whereNodeDynamicAxis_conditionVar_", 0);
  if (*a.scale == 0 && *a.add == 1) return axis_code::kBatch;
  if (*a.scale == 0) return in.derived_axis(from, "_fixedSliceOf_" + std::to_string(*a.add));
  if (*a.scale == 1 && *a.add == 0) return from;
  std::string suffix = "_times_" + std::to_string(*a.scale);
  if (*a.add != 0)
    suffix += (*a.add > 0 ? "_plus_" : "_minus_") + std::to_string(*a.add).substr(*a.add < 0 ? 1 : 0);
  return in.derived_axis(from, suffix);
}

constexpr auto infer_where = [](Infer& in, const SequenceWhere& a) {
  TypeView x = in.in(0), y = in.like(0, Shape());
  sequences::want_sequence(x);
  if (x.shape.is_static() && x.shape.elements() != 1)
    throw value_failure(
        "the condition must be one number at each step, and has " + std::to_string(x.shape.elements()),
        "reduce the condition first, with reduce_sum or reduce_max");
  if (x.has_sequence()) {
    int64_t axis = axis_of(in, a);
    y.axes = axis == axis_code::kBatch ? CANTIK_BATCH : CANTIK_SEQUENCE;
    y.sequence_axis = axis == axis_code::kBatch ? -1 : axis;
  }
  in.set(y);
};

constexpr double kMostSteps = 1 << 28;

Failure too_many() {
  return value_failure(
      "the condition chooses more than " + std::to_string(static_cast<int64_t>(kMostSteps)) + " steps",
      "give a condition that is 0 or 1 at each step");
}

// A step is chosen as often as the running sum of the condition passes a whole number: once at a 1, not at a
// 0, twice at a 2. The sum is rounded to an element each time, as CNTK's is.
template <class T>
class Choice {
 public:
  int64_t times(T condition) {
    sum_ += condition;
    if (static_cast<double>(sum_) > kMostSteps) throw too_many();
    int64_t n = 0;
    for (; static_cast<double>(count_) < static_cast<double>(sum_); ++count_) ++n;
    return n;
  }

 private:
  T sum_ = 0;
  int64_t count_ = 0;
};

template <class T>
struct Places final : Kernel {
  void lengths(const Run& r, std::span<int64_t> out) const override {
    const cantik_operand& x = r.in(0);
    double all = 0;
    for (int64_t row = 0; row < x.rows; ++row) all += std::max(0.0, static_cast<double>(*r.row<T>(0, row)));
    if (!(all < kMostSteps)) throw too_many();
    for (int64_t s = 0; s < x.sequences; ++s) {
      Choice<T> choice;
      int64_t n = 0;
      for (int64_t row = x.offsets[s]; row < x.offsets[s + 1]; ++row) n += choice.times(*r.row<T>(0, row));
      out[s] = n;
    }
  }
  void run(const Run& r) const override {
    const cantik_operand &x = r.in(0), &y = r.out();
    for (int64_t s = r.begin(); s < r.end(); ++s) {
      int64_t to = sequences::first(y, s), end = sequences::last(y, s);
      Choice<T> choice;
      for (int64_t row = x.offsets[s]; row < x.offsets[s + 1]; ++row)
        for (int64_t n = choice.times(*r.row<T>(0, row)); n > 0; --n) {
          if (to == end)
            throw value_failure(
                "the condition must choose one step of each sequence, and chooses several of sequence " +
                std::to_string(s));
          *r.result<T>(0, to++) = static_cast<T>(row - x.offsets[s]);
        }
      if (to < end)
        throw value_failure(
            "the condition must choose one step of each sequence, and chooses none of sequence " +
            std::to_string(s));
    }
  }
};

}  // namespace

CANTIK_OP(where) {
  op.attributes<SequenceWhere>("sequence_where(condition, name='')")
      .doc(
          "The places, from 0, of the steps at which the condition is 1, as a sequence on an axis of its "
          "own. Other numbers add up: a step is chosen as "
          "often as the running sum passes a whole number.")
      .traits(CANTIK_NO_GRADIENT | CANTIK_OWN_AXIS | CANTIK_BY_SEQUENCE)
      .type(infer_where)
      .kernel("places",
              [](const Prepare& p, const SequenceWhere&) -> std::unique_ptr<Kernel> {
                return of_type<Places>(p.dtype());
              })
      .cntk("Where", 13)
      .named("test.lengths", "3,1,5")
      .sample({{1}});
}
