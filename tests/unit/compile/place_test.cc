// What runs on a device, and what is copied: texts of graphs before and after the pass.
#include <gtest/gtest.h>

#include <string>

#include <cantik/device.h>
#include <cantik/error.h>

#include "compile/parse.h"
#include "compile/passes.h"

using namespace cantik;

namespace {

std::string placed(const std::string& text) {
  ir::Graph g = ir::parsed(text);
  g.device = load_backend(CANTIK_NAIVE).at(0);
  ir::place_on_device(g);
  g.verify("place_on_device");
  const std::string after = g.text();
  EXPECT_EQ(ir::parsed(after).text(), after);
  return after;
}

TEST(PlaceOnDevice, operands_and_results_are_copied) {
  EXPECT_EQ(placed(R"(in0 : float32[#, 3]
p1 : float32[3, 2]
%0 = product(in0, p1) : float32[#, 2]
%1 = tanh(%0) : float32[#, 2]
return %1
)"),
            R"(in0 : float32[#, 3]
p1 : float32[3, 2]
%4 = copy(in0) : float32[#, 3] in naive
%5 = copy(p1) : float32[3, 2] in naive
%0 = product(%4, %5) : float32[#, 2] in naive
%1 = tanh(%0) : float32[#, 2] in naive
%6 = copy(%1) : float32[#, 2]
return %6
)");
}

TEST(PlaceOnDevice, what_it_lacks_runs_on_the_host_and_is_copied_once) {
  EXPECT_EQ(placed(R"(in0 : float32[#, 2, 2]
%0 = exp(in0) : float32[#, 2, 2]
%1 = linalg_inverse(%0) : float32[#, 2, 2]
%2 = add(%0, %1) : float32[#, 2, 2]
%3 = linalg_inverse(%2) : float32[#, 2, 2]
%4 = mul(%1, %3) : float32[#, 2, 2]
return %4, %3
)"),
            R"(in0 : float32[#, 2, 2]
%6 = copy(in0) : float32[#, 2, 2] in naive
%0 = exp(%6) : float32[#, 2, 2] in naive
%7 = copy(%0) : float32[#, 2, 2]
%1 = linalg_inverse(%7) : float32[#, 2, 2]
%8 = copy(%1) : float32[#, 2, 2] in naive
%2 = add(%0, %8) : float32[#, 2, 2] in naive
%9 = copy(%2) : float32[#, 2, 2]
%3 = linalg_inverse(%9) : float32[#, 2, 2]
%10 = copy(%3) : float32[#, 2, 2] in naive
%4 = mul(%8, %10) : float32[#, 2, 2] in naive
%11 = copy(%4) : float32[#, 2, 2]
return %11, %3
)");
}

TEST(PlaceOnDevice, a_view_lies_where_its_operand_does) {
  EXPECT_EQ(placed(R"(in0 : float32[#, 4]
%0 = exp(in0) : float32[#, 4]
%1 = view(%0, shape=[2, 2]) : float32[#, 2, 2]
%2 = view(in0, shape=[2, 2]) : float32[#, 2, 2]
%3 = linalg_inverse(%2) : float32[#, 2, 2]
%4 = add(%1, %3) : float32[#, 2, 2]
return %4
)"),
            R"(in0 : float32[#, 4]
%6 = copy(in0) : float32[#, 4] in naive
%0 = exp(%6) : float32[#, 4] in naive
%1 = view(%0, shape=[2, 2]) : float32[#, 2, 2] in naive
%2 = view(in0, shape=[2, 2]) : float32[#, 2, 2]
%3 = linalg_inverse(%2) : float32[#, 2, 2]
%7 = copy(%3) : float32[#, 2, 2] in naive
%4 = add(%1, %7) : float32[#, 2, 2] in naive
%8 = copy(%4) : float32[#, 2, 2]
return %8
)");
}

TEST(PlaceOnDevice, a_layout_is_not_copied) {
  EXPECT_EQ(placed(R"(in0 : float32[#, 3]
in1 : float32[#, *, 2]
%0 = take_rows(in0, in1, map=3) : float32[#, *, 3]
return %0
)"),
            R"(in0 : float32[#, 3]
in1 : float32[#, *, 2]
%3 = copy(in0) : float32[#, 3] in naive
%0 = take_rows(%3, in1, map=3) : float32[#, *, 3] in naive
%4 = copy(%0) : float32[#, *, 3]
return %4
)");
}

TEST(PlaceOnDevice, a_loop_copies_its_own_values_step_by_step) {
  EXPECT_EQ(placed(R"(in0 : float32[#, *, 2, 2]
loop over [#, *]:
  %0 = past_value(%2, 0) : float32[#, *, 2, 2]
  %1 = add(%0, in0) : float32[#, *, 2, 2]
  %2 = linalg_inverse(%1) : float32[#, *, 2, 2]
return %2
)"),
            R"(in0 : float32[#, *, 2, 2]
%6 = copy(in0) : float32[#, *, 2, 2] in naive
loop over [#, *]:
  %0 = past_value(%5, 0) : float32[#, *, 2, 2] in naive
  %1 = add(%0, %6) : float32[#, *, 2, 2] in naive
  %7 = copy(%1) : float32[#, *, 2, 2]
  %2 = linalg_inverse(%7) : float32[#, *, 2, 2]
  %5 = copy(%2) : float32[#, *, 2, 2] in naive
return %2
)");
}

TEST(PlaceOnDevice, open_sizes_are_an_error) {
  EXPECT_THROW(placed("in0 : float32[#, *, *]\n%0 = exp(in0) : float32[#, *, *]\nreturn %0\n"), Error);
}

TEST(PlaceOnDevice, on_the_host_nothing_changes) {
  const std::string text = "in0 : float32[#, 3]\n%0 = exp(in0) : float32[#, 3]\nreturn %0\n";
  ir::Graph g = ir::parsed(text);
  ir::place_on_device(g);
  EXPECT_EQ(g.text(), text);
}

}  // namespace
