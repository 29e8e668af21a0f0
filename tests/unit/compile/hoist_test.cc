// What depends on smaller operands alone is computed at their size.
#include <gtest/gtest.h>

#include <cantik/function.h>

#include "compile/passes.h"
#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

std::string text_of(const Function& y) { return after("hoist", {{y}, {}, {}, ir::Mode::evaluation}); }

TEST(Hoist, a_reciprocal_is_taken_once_for_each_channel) {
  Variable x = input({8, 64}), v = input({8, 1});
  EXPECT_EQ(text_of(call("element_divide", {x, v})),
            "in0 : float32[#, 8, 64]\n"
            "in1 : float32[#, 8, 1]\n"
            "%3 = select(eq(in1, 0), 0, reciprocal(in1)) : float32[#, 8, 1]\n"
            "%2 = mul(in0, %3) : float32[#, 8, 64]\n"
            "return %2\n");
}

TEST(Hoist, of_a_parameter_once_for_all_rows) {
  Variable x = input({128}), v = parameter({128}, 2.0);
  EXPECT_NE(text_of(call("element_divide", {x, v})).find("reciprocal(p1)) : float32[128]"),
            std::string::npos);
}

int nodes_of(const Function& y) {
  const std::string text = text_of(y);
  int count = 0;
  for (size_t at = text.find("\n%"); at != std::string::npos; at = text.find("\n%", at + 1)) ++count;
  return count;
}

TEST(Hoist, what_costs_little_stays_where_it_is) {
  EXPECT_EQ(nodes_of(call("element_divide", {input({8, 64}), input({8, 1})})), 2);
  EXPECT_EQ(nodes_of(call("element_divide", {input({4, 8}), input({4, 1})})), 1);  // few columns
  EXPECT_EQ(nodes_of(call("minus", {input({8, 64}), input({8, 1})})), 1);
  // one number a row is taken once anyway
  EXPECT_EQ(nodes_of(call("element_divide", {input({512}), input({1})})), 1);
}

TEST(Hoist, forward_and_backward_share_it) {
  Variable x = input({8, 64}), v = input({8, 1});
  Function y = call("element_divide", {x, v});
  const std::string text = after("share_again", {{y}, {y}, {x}, ir::Mode::training});
  const size_t first = text.find("reciprocal(in1)");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("reciprocal(in1)", first + 1), std::string::npos) << text;
}

TEST(Hoist, of_a_written_graph_nothing_else_changes) {
  EXPECT_EQ(text_after(ir::hoist,
                       "in0 : float32[#, 16, 16]\n"
                       "in1 : float32[#, 16, 1]\n"
                       "%2 = mul(add(in0, 1), exp(in1)) : float32[#, 16, 16]\n"
                       "return %2\n"),
            "in0 : float32[#, 16, 16]\n"
            "in1 : float32[#, 16, 1]\n"
            "%5 = exp(in1) : float32[#, 16, 1]\n"
            "%2 = mul(add(in0, 1), %5) : float32[#, 16, 16]\n"
            "return %2\n");
}

}  // namespace
