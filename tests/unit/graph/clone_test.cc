// Copies of networks: deep ones, blocks, loops, and what takes the place of what.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

constexpr int kDepth = 20000;

Function chain(const Variable& x) {
  Function sum = x + 1.0;
  for (int i = 1; i < kDepth; ++i) sum = sum + 1.0;
  return sum;
}

double at_two(const Function& f) {
  return f.eval({{f.arguments()[0], Value::batch<float>({1, 1}, std::vector<float>{2})}}).data.at(0);
}

// Copies are made without recursion.
TEST(Clone, of_a_deep_network) {
  const Variable x = input({1}, {.name = "x"}), y = input({1});
  const Function deep = chain(x).as_composite();
  const Function copy = deep.clone(CloneMethod::share);
  EXPECT_FALSE(copy.arguments()[0] == x);
  EXPECT_EQ(at_two(copy), kDepth + 2);
  EXPECT_EQ(at_two(deep(y)), kDepth + 2);
  EXPECT_EQ(at_two(deep(deep(y))), 2 * kDepth + 2);
}

TEST(Clone, of_a_deep_block) {
  const Variable y = input({1});
  const Function block =
      trace_block({"p"}, [](const std::vector<Variable>& v) { return chain(v[0]); }, "Chain").as_composite();
  const Function applied = block(y);
  EXPECT_EQ(at_two(applied), kDepth + 2);
  EXPECT_EQ(at_two(applied.clone_flattened()), kDepth + 2);
}

// The state's network is put in for its own input: a long loop.
TEST(Clone, of_a_loop_whose_step_is_deep) {
  const Variable x = input({1}, {.axes = Axes::sequence()});
  const Function sum = layers::recurrence([](const Variable& h, const Variable& v) {
    Function state = h + v;
    for (int i = 0; i < kDepth; ++i) state = state + 0.0;
    return state;
  })(x);
  const Function copy = sum.clone(CloneMethod::share);
  const Value steps = Value::sequences<float>({1}, {{1, 2, 3}});
  const Tensor found = copy.eval({{copy.arguments()[0], steps}}).data;
  EXPECT_EQ(found.at(0), 1);
  EXPECT_EQ(found.at(2), 6);
}

}  // namespace
