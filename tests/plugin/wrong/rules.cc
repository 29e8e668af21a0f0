// Operators whose code goes wrong while it is used, each in one way. PREFIX: in front of their names, so that
// a library of each release may be loaded.
#include <cantik/op.h>

#include <new>
#include <stdexcept>

using namespace cantik;

#ifndef PREFIX
#define PREFIX "wrong_"
#endif
#define NAMED(name, parameters) (PREFIX name "(" parameters ")")

namespace {

constexpr auto as_first = [](Infer& in) { in.set(in.like(0, in.shape(0))); };
constexpr auto copied = [](auto zero, const Run& r, const NoAttributes&) {
  using T = decltype(zero);
  for (int64_t row = r.begin(); row < r.end(); ++row)
    for (int64_t i = 0; i < r.out().stride; ++i) r.result<T>(0, row)[i] = r.row<T>(0, row)[i];
};

constexpr auto twice_and_square = [](auto zero, const Run& r, const NoAttributes&) {
  using T = decltype(zero);
  for (int64_t row = r.begin(); row < r.end(); ++row)
    for (int64_t i = 0; i < r.out().stride; ++i) {
      const T x = r.row<T>(0, row)[i];
      r.result<T>(0, row)[i] = x + x;
      r.result<T>(1, row)[i] = x * x;
    }
};

struct Nothing final : Kernel {
  void run(const Run&) const override {}
};

}  // namespace

CANTIK_OP(rules) {
  // What is absent, and what lies outside.
  op.signature(NAMED("two", "x"))
      .outputs(2)
      .type([](Infer& in) { in.set(0, in.like(0, in.shape(0))), in.set(1, in.like(0, in.shape(0))); })
      .kernel("both", twice_and_square)
      .gradient([](Gradient& g) { g.dx(0, g.call("plus", {g.dy(0), g.dy(1)})); });
  op.signature(NAMED("refines", "x"))
      .type([](Infer& in) { in.refine(3, Shape{2}), in.set(in.in(0)); })
      .kernel("copy", copied);
  op.signature(NAMED("reads_type", "x")).type([](Infer& in) { in.set(in.in(2)); }).kernel("copy", copied);
  op.signature(NAMED("sets_output", "x")).type([](Infer& in) { in.set(2, in.in(0)); }).kernel("copy", copied);
  op.signature(NAMED("reads_operand", "x")).type(as_first).kernel("copy", copied).gradient([](Gradient& g) {
    g.dx(0, g.dy() * g.x(1));
  });
  op.signature(NAMED("reads_result", "x")).type(as_first).kernel("copy", copied).gradient([](Gradient& g) {
    g.dx(0, g.dy() * g.y(1));
  });
  op.signature(NAMED("sets_gradient", "x")).type(as_first).kernel("copy", copied).gradient([](Gradient& g) {
    g.dx(4, g.dy());
  });
  op.signature(NAMED("sets_result", "x")).type(as_first).lower([](Builder& b) {
    b.result(0, b.x()), b.result(3, b.x());
  });
  op.signature(NAMED("many_results", "x")).type(as_first).lower([](Builder& b) {
    b.result(b.call_all("plus", {b.x(), b.x()}, {}, 3)[0]);
  });
  op.signature(NAMED("body", "x")).composite([](Builder& b) { b.result(b.call("plus", {b.x(0), b.x(1)})); });
  op.signature(NAMED("few_operands", "x")).type(as_first).lower([](Builder& b) {
    b.result(b.call("plus", {b.x()}));
  });
  op.signature(NAMED("many_operands", "x")).type(as_first).lower([](Builder& b) {
    b.result(b.call("sin", {b.x(), b.x()}));
  });
  op.signature(NAMED("few_in_gradient", "x")).type(as_first).kernel("copy", copied).gradient([](Gradient& g) {
    g.dx(0, g.call("plus", {g.dy()}));
  });
  op.signature(NAMED("itself", "x")).type(as_first).lower([](Builder& b) {
    b.result(b.call(PREFIX "itself", {b.x()}));
  });
  op.signature(NAMED("by_sequence", "x")).traits(CANTIK_BY_SEQUENCE).type(as_first).kernel("copy", copied);
  op.signature(NAMED("open_body", "x")).composite([](Builder&) {});

  // Types that are none, and gradients of other operands.
  op.signature(NAMED("negative", "x"))
      .type([](Infer& in) { in.set(in.like(0, Shape{2, -5})); })
      .kernel("copy", copied);
  op.signature(NAMED("number_type", "x"))
      .type([](Infer& in) {
        TypeView t = in.in(0);
        t.dtype = static_cast<DType>(77);
        in.set(t);
      })
      .kernel("copy", copied);
  op.signature(NAMED("other_shape", "x")).type(as_first).kernel("copy", copied).gradient([](Gradient& g) {
    g.dx(0, g.call("slice_axes", {g.dy()}, {{"axis", -1}, {"begin", 0}, {"end", 2}}));
  });
  op.signature(NAMED("number_gradient", "x")).type(as_first).kernel("copy", copied).gradient([](Gradient& g) {
    g.dx(0, g.call("reduce_sum", {g.dy()}, {{"axis", -1}}));
  });

  // What is thrown.
  op.signature(NAMED("throws_type", "x")).type([](Infer&) { throw 42; }).kernel("copy", copied);
  op.signature(NAMED("throws_body", "x")).composite([](Builder&) { throw 42; });
  op.signature(NAMED("throws_lower", "x")).type(as_first).lower([](Builder&) { throw 42; });
  op.signature(NAMED("throws_gradient", "x")).type(as_first).kernel("copy", copied).gradient([](Gradient&) {
    throw 42;
  });
  op.signature(NAMED("throws_factory", "x"))
      .type(as_first)
      .kernel("made", [](const Prepare&, const NoAttributes&) -> std::unique_ptr<Kernel> { throw 42; });
  op.signature(NAMED("throws_kernel", "x"))
      .type(as_first)
      .kernel("run", [](auto, const Run&, const NoAttributes&) { throw 42; });
  op.signature(NAMED("no_memory", "x"))
      .type(as_first)
      .kernel("run", [](auto, const Run&, const NoAttributes&) { throw std::bad_alloc(); });
  op.signature(NAMED("other_letters", "x"))
      .type([](Infer&) { throw std::runtime_error("\xe4rger"); })
      .kernel("copy", copied);
  op.signature(NAMED("error", "x"))
      .type([](Infer&) { throw std::logic_error("it makes no sense"); })
      .kernel("copy", copied);
  op.signature(NAMED("shape_in_kernel", "x"))
      .type(as_first)
      .kernel("run", [](auto, const Run&, const NoAttributes&) {
        throw shape_failure("the two sides do not fit", "make them equal");
      });
  op.signature(NAMED("shape_in_factory", "x"))
      .type(as_first)
      .kernel("made", [](const Prepare&, const NoAttributes&) -> std::unique_ptr<Kernel> {
        throw shape_failure("the two sides do not fit", "make them equal");
      });
  op.signature(NAMED("silent_rule", "x"))
      .type([](Infer&) { throw std::runtime_error(""); })
      .kernel("copy", copied);
  op.signature(NAMED("silent_factory", "x"))
      .type(as_first)
      .kernel("made", [](const Prepare&, const NoAttributes&) -> std::unique_ptr<Kernel> {
        throw std::runtime_error("");
      });
  op.signature(NAMED("silent_kernel", "x"))
      .type(as_first)
      .kernel("run", [](auto, const Run&, const NoAttributes&) { throw std::runtime_error(""); });
#ifdef WITH_NOTHING
  op.signature(NAMED("names_axis", "x"))
      .type([](Infer& in) { in.named_axis("axis", 9), in.set(in.in(0)); })
      .kernel("copy", copied);
  op.signature(NAMED("well_failed", "x"))
      .type(as_first)
      .kernel("run", [](auto, const Run&, const NoAttributes&) { throw Failure(CANTIK_OK, "it is well"); });
  op.signature(NAMED("nothing_kept", "x"))
      .type(as_first)
      .kernel("run", [](auto, const Run& r, const NoAttributes&) { r.keeper().kept<int>(); });
  op.signature(NAMED("no_kernel", "x"))
      .type(as_first)
      .kernel("made", [](const Prepare&, const NoAttributes&) -> std::unique_ptr<Kernel> { return nullptr; });
#endif
  op.signature(NAMED("scratch", "x"))
      .type(as_first)
      .kernel("made", [](const Prepare&, const NoAttributes&) -> std::unique_ptr<Kernel> {
        auto k = std::make_unique<Nothing>();
        k->scratch_bytes = -1;
        return k;
      });
}

CANTIK_LIBRARY(rules)
