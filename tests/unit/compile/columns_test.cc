// Slices and splices that are places: no column is moved.
#include <gtest/gtest.h>

#include <string>

#include <cantik/cantik.h>

#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

Variable cut(const Variable& v, int64_t begin, int64_t end) {
  return call("slice", {v}, {{"axis", -1}, {"begin_index", begin}, {"end_index", end}});
}
Variable number(double x) { return constant(Shape(), x); }

TEST(Columns, gradients_of_slices_lie_side_by_side) {
  Variable x = input({6}, {.needs_gradient = true});
  Function y =
      call("element_times", {call("tanh", {cut(x, 2, 6)}), call("splice", {cut(x, 0, 2), cut(x, 0, 2)})});
  ir::Request r{{}, {y}, {x}, ir::Mode::training};
  std::string text = after("join_parts", r);
  EXPECT_EQ(count(text, "unslice"), 0) << text;
  EXPECT_EQ(count(text, "splice_axis"), 2) << text;
  Function overlapping = call("plus", {cut(x, 0, 4), cut(x, 2, 6)});
  EXPECT_EQ(count(after("join_parts", {{}, {overlapping}, {x}, ir::Mode::training}), "unslice"), 2);
  Function open = call("plus", {cut(x, 0, 2), cut(x, 2, 4)});  // the last two are in none
  EXPECT_EQ(count(after("join_parts", {{}, {open}, {x}, ir::Mode::training}), "unslice"), 2);
}

TEST(Columns, slices_and_splices_of_a_step_are_places) {
  Variable x = input({4}, {.axes = Axes::sequence()}), w = parameter({4, 8}, 0.1), u = parameter({8, 4}, 0.1),
           state = placeholder("h");
  Variable gates = call("times", {call("past_value", {state, number(0)}), w});
  Variable both = call(
      "splice", {call("tanh", {cut(gates, 0, 4)}), call("sigmoid", {call("plus", {cut(gates, 4, 8), x})})});
  Function next = call("plus", {x, call("times", {both, u})});
  Function y = next.replace_placeholders({{state, next.output()}});
  std::string text = after("place_columns", {{y}, {}, {}, ir::Mode::evaluation});
  EXPECT_EQ(count(text, "columns slice_axes("), 2) << text;
  EXPECT_EQ(count(text, "columns splice_axis("), 1) << text;
}

}  // namespace
