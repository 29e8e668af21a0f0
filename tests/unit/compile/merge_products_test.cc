// Products of one operand, for the sake of a loop, become one product with the weights side by side.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

// h[t] = sigmoid(x[t] U) * (x[t] V + h[t - 1])
ir::Request gated(int64_t width) {
  Variable x = input({3}, {.axes = Axes::sequence()}), state = placeholder("h");
  Variable u = parameter({3, width}, 0.1), v = parameter({3, width}, 0.2);
  Variable before = call("past_value", {state, constant(Shape(), 0.0)});
  Function next = call("element_times", {call("sigmoid", {call("times", {x, u})}),
                                         call("plus", {call("times", {x, v}), before})});
  return {{next.replace_placeholders({{state, next.output()}})}, {}, {}, ir::Mode::evaluation};
}

TEST(MergeProducts, gates_written_one_by_one) {
  EXPECT_EQ(after("import", gated(2)),
            "in0 : float32[#, *, 3]\n"
            "p1 : float32[3, 2]\n"
            "p2 : float32[3, 2]\n"
            "c3 : float32[]\n"
            "%2 = product(in0, p1) : float32[#, *, 2]\n"
            "%3 = sigmoid(%2) : float32[#, *, 2]\n"
            "%5 = product(in0, p2) : float32[#, *, 2]\n"
            "%8 = past_value(%10, c3) : float32[#, *, 2]\n"
            "%9 = add(%5, %8) : float32[#, *, 2]\n"
            "%10 = mul(%3, %9) : float32[#, *, 2]\n"
            "return %10\n");
  EXPECT_EQ(after("merge_products", gated(2)),
            "in0 : float32[#, *, 3]\n"
            "p1 : float32[3, 2]\n"
            "p2 : float32[3, 2]\n"
            "c3 : float32[]\n"
            "%11 = splice_axis(p1, p2) : float32[3, 4]\n"
            "%12 = product(in0, %11) : float32[#, *, 4]\n"
            "%13 = slice_axes(%12, axis=0, begin=0, end=2) : float32[#, *, 2]\n"
            "%3 = sigmoid(%13) : float32[#, *, 2]\n"
            "%14 = slice_axes(%12, axis=0, begin=2, end=4) : float32[#, *, 2]\n"
            "%8 = past_value(%10, c3) : float32[#, *, 2]\n"
            "%9 = add(%14, %8) : float32[#, *, 2]\n"
            "%10 = mul(%3, %9) : float32[#, *, 2]\n"
            "return %10\n");
}

TEST(MergeProducts, wide_ones_stay) {
  EXPECT_EQ(after("merge_products", gated(32)), after("share", gated(32)));
}

TEST(MergeProducts, outside_of_recurrences_they_stay) {
  Variable x = input({3}, {.axes = Axes::sequence()}), u = parameter({3, 2}, 0.1), v = parameter({3, 2}, 0.2);
  const ir::Request r{
      {call("plus", {call("times", {x, u}), call("times", {x, v})})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("merge_products", r), after("share", r));
}

}  // namespace
