// Operators that state facts which are wrong, each in one way.
#include <cantik/op.h>

#include <stdexcept>

using namespace cantik;

namespace {

constexpr auto as_first = [](Infer& in) { in.set(in.like(0, in.shape(0))); };
constexpr auto nothing = [](auto, const Run&, const NoAttributes&) {};
constexpr auto late = [](Infer& in) {
  TypeView t = in.like(0, Shape{kFree});
  t.axes = CANTIK_NO_AXES;
  in.set_late(0, t);
};

struct Packed {
  bool packed = false;
  static constexpr auto fields() { return list(field("packed", &Packed::packed, "whether x comes packed")); }
};

}  // namespace

CANTIK_OP(facts) {
  op.signature("wrong_sizes_rank(x)")
      .type(late)
      .sizes([](LateSizes& s) { s.set(0, Shape{2, 3}); })
      .kernel("none", nothing);
  op.signature("wrong_sizes_negative(x)")
      .type(late)
      .sizes([](LateSizes& s) { s.set(0, Shape{-4}); })
      .kernel("none", nothing);
  op.signature("wrong_sizes_output(x)")
      .type(late)
      .sizes([](LateSizes& s) { s.set(1, Shape{2}); })
      .kernel("none", nothing);
  op.signature("wrong_sizes_untold(x)").type(late).sizes([](LateSizes&) {}).kernel("none", nothing);
  op.signature("wrong_sizes_thrown(x)")
      .type(late)
      .sizes([](LateSizes&) { throw std::runtime_error("the sensor is off"); })
      .kernel("none", nothing);
  op.signature("wrong_settled(x)")
      .type([](Infer& in) {
        in.settle("size", int64_t{3});
        in.set(in.like(0, in.shape(0)));
      })
      .kernel("none", nothing);
  op.attributes<Packed>("wrong_settled_value(x, packed=False)")
      .type([](Infer& in, const Packed&) {
        in.settle("packed", Shape{2, 3});
        in.set(in.like(0, in.shape(0)));
      })
      .kernel("none", [](auto, const Run&, const Packed&) {});
  op.signature("wrong_late(x)").type(late).kernel("none", nothing);

  op.signature("wrong_part(x)")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.like(0, Shape{4})); })
      .puts_part([](RowPart& p) { p.along(0, 2); })
      .kernel("none", nothing);
  op.signature("wrong_part_axis(x)")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.like(0, Shape{4})); })
      .puts_part([](RowPart& p) { p.along(3); })
      .kernel("none", nothing);
  op.signature("wrong_names(x)")
      .traits(CANTIK_ROW_WISE)
      .type(as_first)
      .axis_names([](AxisNames& names) { names.operand(0, {names.axes(5)}); })
      .kernel("none", nothing);
  op.signature("wrong_names_twice(x)")
      .traits(CANTIK_ROW_WISE)
      .type(as_first)
      .axis_names([](AxisNames& names) {
        const auto axis = names.axes(1);
        names.operand(0, {axis, axis, axis});
      })
      .kernel("none", nothing);
  op.attributes<Packed>("wrong_packing(x, packed=False)")
      .traits(CANTIK_ROW_WISE)
      .type(as_first)
      .packed("packed", [](Packing& p, const Packed&) { p.pack(5, "view", {}); })
      .kernel("none", [](auto, const Run&, const Packed&) {});

  op.signature("wrong_reader(x)").traits(CANTIK_READS_SAVED).type(as_first).kernel("none", nothing);
  op.signature("wrong_gradient(x)").type(as_first).kernel("none", nothing).gradient([](Gradient& g) {
    g.dx(0, g.call_like("wrong_reader", {g.saved()}, {g.x()})[0]);
  });
}

CANTIK_LIBRARY(facts)
