// What has 16 bits is computed in 32.
#include <gtest/gtest.h>

#include <cantik/function.h>

#include "compile/passes.h"
#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

TEST(Widen, float16_is_computed_in_float32_and_rounded) {
  Variable x = input({3}, {.dtype = DType::float16});
  ir::Request r{{call("tanh", {call("exp", {x})})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("widen", r),
            "in0 : float16[#, 3]\n"
            "%3 = cast(in0) : float32[#, 3]\n"
            "%1 = exp(%3) : float32[#, 3]\n"
            "%4 = cast(%1, dtype=4) : float16[#, 3]\n"
            "%5 = cast(%4) : float32[#, 3]\n"
            "%2 = tanh(%5) : float32[#, 3]\n"
            "%6 = cast(%2, dtype=4) : float16[#, 3]\n"
            "return %6\n");
}

TEST(Widen, a_graph_that_is_written_down) {
  EXPECT_EQ(text_after(ir::widen,
                       "in0 : float16[#, 3]\n"
                       "%1 = exp(in0) : float16[#, 3]\n"
                       "return %1\n"),
            "in0 : float16[#, 3]\n"
            "%3 = cast(in0) : float32[#, 3]\n"
            "%1 = exp(%3) : float32[#, 3]\n"
            "%4 = cast(%1, dtype=4) : float16[#, 3]\n"
            "return %4\n");
}

}  // namespace
