// Equal instructions become one.
#include <gtest/gtest.h>

#include <cantik/function.h>

#include "compile/passes.h"
#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

TEST(Share, equal_nodes_become_one) {
  Variable x = input({3});
  Function y = call("plus", {call("tanh", {x}), call("tanh", {x})});
  ir::Request r{{y}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("import", r),
            "in0 : float32[#, 3]\n"
            "%1 = tanh(in0) : float32[#, 3]\n"
            "%2 = tanh(in0) : float32[#, 3]\n"
            "%3 = add(%1, %2) : float32[#, 3]\n"
            "return %3\n");
  EXPECT_EQ(after("share", r),
            "in0 : float32[#, 3]\n"
            "%1 = tanh(in0) : float32[#, 3]\n"
            "%3 = add(%1, %1) : float32[#, 3]\n"
            "return %3\n");
}

TEST(Share, attributes_are_compared) {
  EXPECT_EQ(text_after(ir::share,
                       "in0 : float32[#, 3]\n"
                       "%1 = slice_axes(in0, begin=[1], end=[3]) : float32[#, 2]\n"
                       "%2 = slice_axes(in0, begin=[1], end=[3]) : float32[#, 2]\n"
                       "%3 = slice_axes(in0, begin=[0], end=[2]) : float32[#, 2]\n"
                       "%4 = add(%1, %2) : float32[#, 2]\n"
                       "%5 = add(%4, %3) : float32[#, 2]\n"
                       "return %5\n"),
            "in0 : float32[#, 3]\n"
            "%1 = slice_axes(in0, begin=[1], end=[3]) : float32[#, 2]\n"
            "%4 = add(%1, %1) : float32[#, 2]\n"
            "%3 = slice_axes(in0, begin=[0], end=[2]) : float32[#, 2]\n"
            "%5 = add(%4, %3) : float32[#, 2]\n"
            "return %5\n");
}

}  // namespace
