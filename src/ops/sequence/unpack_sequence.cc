// The steps of sequences as a static axis, as long as the longest sequence, padded; and which of them are
// there.
#include <vector>
#include <algorithm>
#include <memory>
#include <string>

#include "ops/sequence/rows.h"

using namespace cantik;

namespace {

struct Padding {
  double padding_value = 0;
  static constexpr auto fields() {
    return list(field("padding_value", &Padding::padding_value, "what stands where a sequence has no steps")
                    .key("sequenceUnpackPaddingValue"));
  }
};

struct Unpacking {
  double padding_value = 0;
  bool one_length = false;
  static constexpr auto fields() {
    return list(field("padding_value", &Unpacking::padding_value, "what stands where a sequence has no steps")
                    .key("sequenceUnpackPaddingValue"),
                field("one_length", &Unpacking::one_length, "whether shorter sequences are an error"));
  }
};

void values_type(Infer& in, int output) {
  TypeView x = in.in(0), t = in.like(0, x.shape.is_known() ? Shape{kFree} + x.shape : Shape::unknown());
  sequences::want_sequence(x, CANTIK_VALUE);
  in.set(output, sequences::one_a_sequence(t));
}
void mask_type(Infer& in, int output) {
  TypeView t = in.like(0, Shape{kFree});
  sequences::want_sequence(in.in(0), CANTIK_VALUE);
  in.set(output, sequences::one_a_sequence(t));
}

// The run is laid out for the longest sequence; a longer one would be written over others.
int64_t checked(const cantik_operand& x, int64_t s, int64_t most) {
  int64_t n = sequences::length(x, s);
  if (n > most)
    throw Failure(CANTIK_RUNTIME, "sequence " + std::to_string(s) + " has " + sequences::counted(n, "step") +
                                      ", but the result has room for " + std::to_string(most));
  return n;
}

template <class T>
struct Unpacked final : Kernel {
  int64_t width, most;
  T padding;
  bool one_length;
  Unpacked(const Shape& x, int64_t most, const Unpacking& a)
      : width(x.elements()), most(most), padding(static_cast<T>(a.padding_value)), one_length(a.one_length) {}
  void run(const Run& r) const override {
    const int64_t* offsets = r.in(0).offsets;
    for (int64_t s = r.begin(); s < r.end(); ++s) {
      T* y = r.result<T>(0, s);
      int64_t n = checked(r.in(0), s, most);
      if (one_length && n < most)
        throw value_failure("sequence " + std::to_string(s) + " has " + sequences::counted(n, "step") +
                                ", the longest one has " + std::to_string(most) +
                                ", and the network takes the steps of all sequences as one axis",
                            "feed sequences of one length, one at a time where they differ");
      for (int64_t row = offsets[s]; row < offsets[s + 1]; ++row, y += width)
        std::copy_n(r.row<T>(0, row), width, y);
      std::fill_n(y, (most - n) * width, padding);
    }
  }
};

template <class T>
struct Mask final : Kernel {
  int64_t most;
  explicit Mask(int64_t most) : most(most) {}
  void run(const Run& r) const override {
    for (int64_t s = r.begin(); s < r.end(); ++s) {
      int64_t n = checked(r.in(0), s, most);
      std::fill_n(r.result<T>(0, s), n, T(1));
      std::fill_n(r.result<T>(0, s) + n, most - n, T(0));
    }
  }
};

// [steps, batch, ...] and [batch, steps, ...]
OnnxValue turned(OnnxGraph& g, OnnxValue x, int rank) {
  std::vector<int64_t> perm{1, 0};
  for (int i = 2; i < rank; ++i) perm.push_back(i);
  return g.node("Transpose", {x}, {{"perm", perm}});
}

}  // namespace

CANTIK_OP(unpack_sequence) {
  op.attributes<Padding>("sequence_unpack(x, padding_value, name='')")
      .doc(
          "The steps of each sequence as a first static axis, as long as the longest sequence, with "
          "padding_value behind shorter ones; and a mask, 1 where a step is.")
      .outputs(2)
      .type([](Infer& in, const Padding&) {
        values_type(in, 0);
        mask_type(in, 1);
      })
      .lower([](Builder& b, const Padding& a) {
        b.result(0, b.call("unpack_steps", {b.x()}, {{"padding_value", a.padding_value}}));
        b.result(1, b.call("mask_of_steps", {b.x()}));
      })
      .onnx_write("Transpose",
                  [](OnnxGraph& g) {
                    OnnxValue y = turned(g, g.x(), g.shape().rank() + 2);
                    g.result(0, y);
                    OnnxValue shape =
                        g.node("Slice", {g.node("Shape", {y}), g.integers({0}), g.integers({2})});
                    g.result(1, g.node("Expand", {g.real(1), shape}));
                  })
      .cntk("UnpackSequenceOp", 72)
      .cntk_form({.fixed = {{"sequenceUnpackSuppressMaskOutput", false}}})
      .named("test.lengths", "3,1,5")
      .named("test.rows", "the result is as long as the longest sequence")
      .sample({{2}});

  op.attributes<Unpacking>("unpack_values(x, padding_value, one_length=False, name='')")
      .doc("The same without the mask.")
      .traits(CANTIK_HIDDEN)
      .type([](Infer& in, const Unpacking&) { values_type(in, 0); })
      .lower([](Builder& b, const Unpacking& a) {
        b.result(b.call("unpack_steps", {b.x()},
                        {{"padding_value", a.padding_value}, {"one_length", a.one_length}}));
      })
      .onnx_write("Transpose", [](OnnxGraph& g) { g.result(turned(g, g.x(), g.shape().rank() + 2)); })
      .cntk("UnpackSequenceOp", 72)
      .cntk_form({.fixed = {{"sequenceUnpackSuppressMaskOutput", true}}});

  op.attributes<Unpacking>("unpack_steps(x, padding_value=0, one_length=False)")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE | CANTIK_STEPS_AS_AXIS)
      .type([](Infer& in, const Unpacking&) { values_type(in, 0); })
      .gradient([](Gradient& g, const Unpacking&) { g.dx(0, g.call("to_sequence_like", {g.dy(), g.x()})); })
      .kernel("rows", [](const Prepare& p, const Unpacking& a) {
        return of_type<Unpacked>(p.dtype(), p.in(0).shape, p.out().shape[0], a);
      });

  op.signature("mask_of_steps(x)")
      .traits(CANTIK_HIDDEN | CANTIK_BY_SEQUENCE | CANTIK_STEPS_AS_AXIS | CANTIK_NO_GRADIENT)
      .layout_only(0)
      .type([](Infer& in) { mask_type(in, 0); })
      .kernel("rows", [](const Prepare& p, const NoAttributes&) {
        return of_type<Mask>(p.dtype(), p.out().shape[0]);
      });
}
