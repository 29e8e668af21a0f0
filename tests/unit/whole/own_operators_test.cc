// Operators that a program states in its own files.
#include <gtest/gtest.h>

#include <cantik/function.h>
#include <cantik/op.h>
#include <cantik/operators.h>

using namespace cantik;

CANTIK_OP(own_cube) {
  op.signature("own_cube(x, name='')").doc("The third power.").expression([](Real x) { return x * x * x; });
}
CANTIK_LIBRARY(own_cube)

namespace {

TEST(OwnOperators, are_registered_by_the_program) {
  EXPECT_EQ(register_operators(cantik_library), std::vector<std::string>{"own_cube"});
  EXPECT_EQ(register_operators(cantik_library), std::vector<std::string>{"own_cube"});  // nothing changes
  const Variable x = input({2}, {.needs_gradient = true});
  const Function cube = call("own_cube", {x});
  const Feeds feeds{{x, Value::batch<float>({1, 2}, std::vector<float>{2, -3})}};
  EXPECT_EQ(cube.eval(feeds).data.at(1), -27);
  EXPECT_EQ(cube.grad(feeds, {x})[0].data.at(0), 12);
}

TEST(OwnOperators, that_are_not_there_are_an_error) {
  EXPECT_THROW(register_operators(nullptr), Error);
  EXPECT_THROW(register_operators([](const cantik_host*) -> cantik_status { return CANTIK_VALUE; }), Error);
}

}  // namespace
