// The first static axis of each sample as the steps of a sequence: the reverse of unpacking.
#include <vector>
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>

#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct ToSequence {
  std::string sequence_axis_name_prefix = "toSequence_";
  int64_t axis = axis_code::kNone;
  static constexpr auto fields() {
    return list(field("sequence_axis_name_prefix", &ToSequence::sequence_axis_name_prefix,
                      "how the name of the new axis begins")
                    .key("sequenceAxis"),
                field("axis", &ToSequence::axis, "the axis of the result")
                    .key("newDynamicAxes")
                    .role(CANTIK_NEW_AXIS));
  }
};

Shape step_of(const TypeView& x) {
  if (!x.shape.is_known()) return Shape::unknown();
  if (x.shape.rank() == 0)
    throw value_failure(
        "to_sequence needs an axis that becomes the axis of steps, and the operand is a single number");
  return x.shape.sub(1, x.shape.rank());
}

constexpr auto infer_to_sequence = [](Infer& in, const ToSequence& a) {
  TypeView x = in.in(0), y = in.view(0, step_of(x));
  if (x.axes == CANTIK_SEQUENCE) throw value_failure("the operand has a sequence axis already");
  if (x.axes == CANTIK_NO_AXES)
    throw value_failure("the operand has no batch axis", "give a batch: each sample becomes a sequence");
  if (in.inputs() > 1) {
    TypeView lengths = in.in(1);
    if (lengths.axes != CANTIK_AXES_UNKNOWN && lengths.axes != CANTIK_BATCH)
      throw value_failure("the lengths must have the operand's batch axis and no sequence axis",
                          "give one number for each sample of the operand");
    if (lengths.shape.is_static() && lengths.shape.elements() != 1)
      throw value_failure("the lengths must be one number for each sample, and have the shape " +
                          lengths.shape.text());
  }
  if (x.axes == CANTIK_BATCH) {
    y.axes = CANTIK_SEQUENCE;
    y.sequence_axis = a.axis == axis_code::kNone ? in.named_axis(a.sequence_axis_name_prefix, 0) : a.axis;
  }
  in.set(y);
};

void check_steps(int64_t sequence, int64_t n, int64_t most) {
  if (n > most)
    throw value_failure("sequence " + std::to_string(sequence) + " has " + sequences::counted(n, "step") +
                        ", but the axis of steps has the size " + std::to_string(most));
}

// Steps that lie in the rows of a batch. Lengths come from operand 1, or are those of the axis.
template <class T>
struct SequenceSteps final : Kernel {
  int64_t most, width;
  bool given, sparse;
  SequenceSteps(const Prepare& p, bool given)
      : most(p.in(0).shape[0]),
        width(p.out().shape.elements()),
        given(given),
        sparse(p.in(0).storage == CANTIK_CSR) {
    most_rows_per_row = std::max<int64_t>(most, 1);
  }
  int64_t units(int64_t n) const override { return sparse ? 1 : n; }
  void lengths(const Run& r, std::span<int64_t> out) const override {
    for (size_t s = 0; s < out.size(); ++s) {
      out[s] = most;
      if (!given) continue;
      double n = static_cast<double>(*r.row<T>(1, static_cast<int64_t>(s)));
      if (!(n >= 0 && n <= static_cast<double>(most)) || n != std::floor(n))
        throw value_failure("the length of sequence " + std::to_string(s) +
                            " must be a whole number from 0 to " + std::to_string(most) + ", and is " +
                            text_of_index(n));
      out[s] = static_cast<int64_t>(n);
    }
  }
  void run(const Run& r) const override {
    const cantik_operand& y = r.out();
    int64_t begin = sparse ? 0 : r.begin(), end = sparse ? y.sequences : r.end();
    if (sparse) const_cast<int64_t*>(y.starts)[0] = 0;
    for (int64_t s = begin; s < end; ++s) {
      int64_t first = y.offsets[s], n = y.offsets[s + 1] - first;
      check_steps(s, n, most);
      if (sparse)
        split(r, s, first, n);
      else
        std::copy_n(r.row<T>(0, s), n * width, r.result<T>(0, first));
    }
  }
  // The entries of a sparse row, step by step.
  void split(const Run& r, int64_t s, int64_t first, int64_t n) const {
    const cantik_operand &x = r.in(0), &y = r.out();
    auto* starts = const_cast<int64_t*>(y.starts);
    int64_t to = starts[first];
    for (int64_t t = 0, at = x.starts[s]; t < n; ++t) {
      for (; at < x.starts[s + 1] && x.columns[at] < (t + 1) * width; ++at, ++to) {
        const_cast<int32_t*>(y.columns)[to] = static_cast<int32_t>(x.columns[at] - t * width);
        static_cast<T*>(y.data)[to] = x.data ? static_cast<const T*>(x.data)[at] : T(1);
      }
      starts[first + t + 1] = to;
    }
  }
};

std::unique_ptr<Kernel> steps(const Prepare& p, bool given) {
  if (p.in(0).storage != p.out().storage) throw declined("sparse rows become dense ones");
  return of_type<SequenceSteps>(p.dtype(), p, given);
}

// Steps back in the rows of a batch, 0 behind them.
constexpr auto lay_out = [](auto zero, const Run& r, const NoAttributes&) {
  using T = decltype(zero);
  const cantik_operand& x = r.in(0);
  int64_t width = r.out().stride;
  for (int64_t s = r.begin(); s < r.end(); ++s) {
    // What was laid out from a batch fits; gradients of what nobody computed may not.
    if (x.stride > 0) check_steps(s, x.offsets[s + 1] - x.offsets[s], width / x.stride);
    T *y = r.result<T>(0, s), *end = y + width;
    for (int64_t row = x.offsets[s]; row < x.offsets[s + 1]; ++row)
      y = std::copy_n(r.row<T>(0, row), x.stride, y);
    std::fill(y, end, T(0));
  }
};

}  // namespace

CANTIK_OP(to_sequence) {
  op.attributes<ToSequence>(
        "to_sequence(x, sequence_lengths=None, sequence_axis_name_prefix='toSequence_', name='')")
      .named("arrays", "widest")
      .doc(
          "The first static axis of each sample becomes the steps of a sequence, on an axis of its own. "
          "Where lengths are given, one number for each sample, only so "
          "many steps are taken.")
      .traits(CANTIK_OWN_AXIS | CANTIK_BY_SEQUENCE | CANTIK_TAKES_SPARSE)
      .type(infer_to_sequence)
      .gradient([](Gradient& g, const ToSequence&) {
        if (g.wanted(0)) g.dx(0, g.call("lay_out_steps", {g.dy(), g.x(0)}));
      })
      .kernel("rows", [](const Prepare& p, const ToSequence&) { return steps(p, p.inputs() > 1); })
      .onnx_write("Transpose",
                  [](OnnxGraph& g) {
                    if (g.inputs() > 1)
                      throw Failure(CANTIK_UNSUPPORTED,
                                    "ONNX has no sequences of different lengths in a batch");
                    std::vector<int64_t> perm{1, 0};
                    for (int i = 2; i < g.shape().rank() + 1; ++i) perm.push_back(i);
                    g.result(g.node("Transpose", {g.x()}, {{"perm", perm}}));
                  })
      .cntk("ToSequenceOp", 70)
      .sample({{3, 2}});

  op.signature("to_sequence_like(x, dynamic_axes_like, name='')")
      .doc(
          "The first static axis of each sample becomes the steps of a sequence, on the axis of "
          "dynamic_axes_like and of its lengths.")
      .traits(CANTIK_BY_SEQUENCE | CANTIK_TAKES_SPARSE)
      .layout_only(1)
      .type([](Infer& in) {
        TypeView x = in.in(0), like = in.in(1);
        if (x.axes == CANTIK_SEQUENCE) throw value_failure("the operand has a sequence axis already");
        if (x.axes == CANTIK_NO_AXES)
          throw value_failure("the operand has no batch axis",
                              "give a batch: each sample becomes a sequence");
        sequences::want_sequence(like, CANTIK_VALUE);
        in.set(sequences::with_axes_of(in.view(0, step_of(x)), like));
      })
      .gradient([](Gradient& g) {
        if (g.wanted(0)) g.dx(0, g.call("lay_out_steps", {g.dy(), g.x(0)}));
      })
      .kernel("rows", [](const Prepare& p, const NoAttributes&) { return steps(p, false); })
      .onnx_write("Transpose",
                  [](OnnxGraph& g) {
                    std::vector<int64_t> perm{1, 0};
                    for (int i = 2; i < g.shape().rank() + 1; ++i) perm.push_back(i);
                    g.result(g.node("Transpose", {g.x()}, {{"perm", perm}}));
                  })
      .cntk("ToSequenceLikeOp", 71)
      .named("test.lengths", "3,1,2")
      .named("test.operands", "bq")
      .sample({{3, 2}, {1}});

  op.signature("lay_out_steps(x, like)")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE)
      .layout_only(1)
      .type([](Infer& in) { in.set(in.like(1, in.shape(1))); })
      .gradient([](Gradient& g) {
        if (g.wanted(0)) g.dx(0, g.call("to_sequence_like", {g.dy(), g.x(0)}));
      })
      .kernel("rows", lay_out);
}
