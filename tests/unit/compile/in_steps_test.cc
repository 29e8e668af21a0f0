// Objects of the user's program: in cycles they are called step by step, on operands that are spread over the
// steps.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <vector>

#include <cantik/cantik.h>

#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

// Its first operand, of the second one's rows where it has none of its own.
class First : public UserOperator {
 public:
  First() : UserOperator("First", 2) {}
  std::vector<UserResult> infer(std::span<const Type> in) override { return {{in.back()}}; }
  std::shared_ptr<const void> forward(const UserCall&) const override { return nullptr; }
};

TEST(InSteps, outside_of_cycles_are_called_once) {
  Variable b = input({3}), x = input({3}, {.axes = Axes::sequence()});
  const Function f = user_function(std::make_shared<First>(), {b, x});
  const ir::Request r{{f}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("import", r),
            "in0 : float32[#, 3]\n"
            "in1 : float32[#, *, 3]\n"
            "%2 = First(in0, in1) : float32[#, *, 3]\n"
            "return %2\n");
  EXPECT_EQ(after("in_steps", r), after("import", r));
}

TEST(InSteps, in_cycles_are_called_step_by_step) {
  Variable b = input({3}), x = input({3}, {.axes = Axes::sequence()});
  const Variable state = placeholder("h", {DType::float32, Shape{3}, Axes::sequence(), Storage::dense, 0});
  const Function h = plus(user_function(std::make_shared<First>(), {b, sequence::past_value(state)}), x);
  const ir::Request r{
      {h.as_composite().replace_placeholders({{state, h.output()}})}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(after("import", r),
            "in0 : float32[#, 3]\n"
            "in2 : float32[#, *, 3]\n"
            "c1 : float32[]\n"
            "%3 = past_value(%6, c1) : float32[#, *, 3]\n"
            "%4 = First(in0, %3) : float32[#, *, 3]\n"
            "%6 = add(%4, in2) : float32[#, *, 3]\n"
            "return %6\n");
  EXPECT_EQ(after("in_steps", r),
            "in0 : float32[#, 3]\n"
            "in2 : float32[#, *, 3]\n"
            "c1 : float32[]\n"
            "%3 = past_value(%6, c1) : float32[#, *, 3]\n"
            "%7 = take_rows(in0, %3) : float32[#, *, 3]\n"
            "%4 = First(%7, %3) : float32[#, *, 3]\n"
            "%6 = add(%4, in2) : float32[#, *, 3]\n"
            "return %6\n");
}

}  // namespace
