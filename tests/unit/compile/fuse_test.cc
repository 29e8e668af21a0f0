// Chains of elementwise operators become one expression; products and sums take in what stands beside them.
#include <gtest/gtest.h>

#include <cantik/function.h>

#include "compile/passes.h"
#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

TEST(Fuse, a_chain_becomes_one_expression) {
  Variable x = input({3}), b = parameter({3}, 0.5);
  Function y = call("tanh", {call("plus", {call("element_times", {x, x}), b})});
  ir::Request r{{y}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("fuse", r),
            "in0 : float32[#, 3]\n"
            "p1 : float32[3]\n"
            "%4 = tanh(add(mul(in0, in0), p1)) : float32[#, 3]\n"
            "return %4\n");
}

TEST(Fuse, what_two_read_stays_by_itself) {
  Variable x = input({3});
  Function t = call("exp", {x});
  ir::Request r{{call("relu", {t}), call("tanh", {t})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("fuse", r),
            "in0 : float32[#, 3]\n"
            "%1 = exp(in0) : float32[#, 3]\n"
            "%2 = max(0, %1) : float32[#, 3]\n"
            "%3 = tanh(%1) : float32[#, 3]\n"
            "return %2, %3\n");
}

TEST(Fuse, plain_arithmetic_on_what_is_kept_anyway_is_repeated) {
  Variable x = input({3}), b = parameter({3}, 0.5);
  Function d = call("minus", {x, b});
  ir::Request r{{call("exp", {d}), call("tanh", {d})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("fuse", r),
            "in0 : float32[#, 3]\n"
            "p1 : float32[3]\n"
            "%3 = exp(sub(in0, p1)) : float32[#, 3]\n"
            "%4 = tanh(sub(in0, p1)) : float32[#, 3]\n"
            "return %3, %4\n");
  // of two operands of its size it saves nothing, and a result is wanted anyway
  Function sum = call("plus", {x, input({3})});
  EXPECT_NE(after("fuse", {{call("exp", {sum}), call("tanh", {sum})}, {}, {}, ir::Mode::evaluation})
                .find("exp(%2)"),
            std::string::npos);
  EXPECT_NE(
      after("fuse", {{d, call("exp", {d}), call("tanh", {d})}, {}, {}, ir::Mode::evaluation}).find("exp(%2)"),
      std::string::npos);
}

TEST(Fuse, products_take_what_follows_them) {
  Variable x = input({4}), w = parameter({4, 2}, 0.5), b = parameter({2}, 0.0);
  Function y = call("relu", {call("plus", {call("times", {x, w}), b})});
  ir::Request r{{y}, {}, {}, ir::Mode::evaluation};
  std::string text = after("fuse", r);
  EXPECT_NE(text.find("product(in0, %6, packed=True)"), std::string::npos) << text;
  EXPECT_NE(text.find("then max(0, add(_, p2))"), std::string::npos) << text;
}

TEST(Fuse, a_sum_takes_its_terms_in) {
  Variable x = input({4}), b = parameter({4}, 0.5);
  Function y = call("tanh", {call("plus", {x, b})});
  ir::Request r{{}, {y}, {b}, ir::Mode::training};
  EXPECT_EQ(after("fuse", r),
            "in0 : float32[#, 4]\n"
            "p1 : float32[4]\n"
            "%6 = sum_of(sub(1, mul(tanh(add(in0, p1)), tanh(add(in0, p1)))), shape=[4]) : float32[4]\n"
            "return %6\n");
}

TEST(Fuse, a_chain_that_is_written_down) {
  EXPECT_EQ(text_after(ir::fuse,
                       "in0 : float32[#, 3]\n"
                       "p1 : float32[3]\n"
                       "%2 = add(in0, p1) : float32[#, 3]\n"
                       "%3 = tanh(%2) : float32[#, 3]\n"
                       "%4 = max(0, %3) : float32[#, 3]\n"
                       "return %4\n"),
            "in0 : float32[#, 3]\n"
            "p1 : float32[3]\n"
            "%4 = max(0, tanh(add(in0, p1))) : float32[#, 3]\n"
            "return %4\n");
}

}  // namespace
