// Maps of the same rows become one where no path comes back.
#include <gtest/gtest.h>

#include <string>

#include <cantik/cantik.h>

#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

Variable single_number(double x) { return constant(Shape(), x); }

TEST(GatherMaps, maps_of_a_step_become_one_where_no_path_comes_back) {
  Variable x = input({4}, {.axes = Axes::sequence()}), w = parameter({4, 4}, 0.1), state = placeholder("h");
  Variable h = call("past_value", {state, single_number(0)});
  Variable a = call("sigmoid", {call("plus", {x, h})}), b = call("tanh", {a});  // both are read elsewhere
  // the product lies between
  Function next = call("plus", {call("element_times", {a, b}), call("times", {b, w})});
  Function y = next.replace_placeholders({{state, next.output()}});
  ir::Request r{{y, a}, {}, {}, ir::Mode::evaluation};
  std::string text = after("gather_maps", r);
  EXPECT_NE(text.find("= sigmoid(add("), std::string::npos) << text;
  EXPECT_EQ(count(text, "; tanh(sigmoid("), 1) << text;  // a and b are results of one map
  EXPECT_EQ(count(text, "then add(mul("), 1) << text;    // what follows the product stays with it
}

}  // namespace
