// Operands that are read for their layout come from where it does.
#include <gtest/gtest.h>

#include <cantik/function.h>

#include "compile/passes.h"
#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

TEST(Layouts, an_operand_that_is_read_for_its_layout_comes_from_where_that_does) {
  Variable x = input({3}, {.axes = Axes::sequence()}), b = input({2});
  Function y = call("sequence_broadcast_as", {b, call("tanh", {call("exp", {x})})});
  ir::Request r{{y}, {}, {}, ir::Mode::evaluation};
  EXPECT_NE(after("import", r).find("= tanh("), std::string::npos);
  EXPECT_EQ(after("layouts", r),
            "in0 : float32[#, 2]\n"
            "in1 : float32[#, *, 3]\n"
            "%4 = take_rows(in0, in1) : float32[#, *, 2]\n"
            "return %4\n");
}

}  // namespace
