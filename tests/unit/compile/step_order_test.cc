// Values around a loop that lie in the order of its steps.
#include <gtest/gtest.h>

#include <string>

#include <cantik/cantik.h>

#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

TEST(StepOrder, slices_of_what_a_loop_reads_and_splices_of_what_it_makes_go_into_step_order) {
  Variable x = input({4}, {.axes = Axes::sequence()});
  Function y = call("reduce_sum", {layers::recurrence(layers::gru(4))(x)});
  std::string text = after("step_order", {{}, {y}, y.parameters(), ir::Mode::training});
  EXPECT_EQ(count(text, "= take_rows("), 1) << text;  // of x; gates and their gradients are never moved
  text = after("place_columns", {{}, {y}, y.parameters(), ir::Mode::training});
  // gradients of two gates for one product, and with the third's for another
  EXPECT_EQ(count(text, "splice_axis("), 2) << text;
  EXPECT_EQ(count(text, "columns splice_axis("), 2) << text;
  EXPECT_EQ(count(text, "= slice_axes("), 0) << text;
}

TEST(StepOrder, a_product_is_of_rows_in_step_order_where_they_are_narrower) {
  Variable x = input({2}, {.axes = Axes::sequence()}), state = placeholder("h"), w = parameter({2, 16}, 0.1);
  Function h = call(
      "tanh", {call("plus", {call("times", {x, w}), call("past_value", {state, constant(Shape(), 0.5)})})});
  const ir::Request r{{h.replace_placeholders({{state, h.output()}})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("loops", r),
            "in0 : float32[#, *, 2]\n"
            "p1 : float32[2, 16]\n"
            "c2 : float32[]\n"
            "%8 = pack_panels(p1) : float32, packed\n"
            "%2 = product(in0, %8, packed=True) : float32[#, *, 16]\n"
            "%9 = take_rows(%2, map=1) : float32[#, *, 16]\n"
            "loop over [#, *]:\n"
            "  %5 = past_value(%7, c2) : float32[#, *, 16]\n"
            "  %6 = add(%9, %5) : float32[#, *, 16]\n"
            "  %7 = tanh(%6) : float32[#, *, 16]\n"
            "%10 = take_rows(%7, map=3) : float32[#, *, 16]\n"
            "return %10\n");
  EXPECT_EQ(after("step_order", r),
            "in0 : float32[#, *, 2]\n"
            "p1 : float32[2, 16]\n"
            "c2 : float32[]\n"
            "%11 = take_rows(in0, map=1) : float32[#, *, 2]\n"
            "%8 = pack_panels(p1) : float32, packed\n"
            "%2 = product(%11, %8, packed=True) : float32[#, *, 16]\n"
            "loop over [#, *]:\n"
            "  %5 = past_value(%7, c2) : float32[#, *, 16]\n"
            "  %6 = add(%2, %5) : float32[#, *, 16]\n"
            "  %7 = tanh(%6) : float32[#, *, 16]\n"
            "%10 = take_rows(%7, map=3) : float32[#, *, 16]\n"
            "return %10\n");
}

}  // namespace
