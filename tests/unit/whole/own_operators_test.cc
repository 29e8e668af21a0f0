// Operators that a program states in its own files.
#include <gtest/gtest.h>

#include <cantik/function.h>
#include <cantik/op.h>
#include <cantik/operators.h>

using namespace cantik;

CANTIK_OP(own_cube) {
  op.signature("own_cube(x, name='')").doc("The third power.").expression([](Real x) { return x * x * x; });
}
// Wrong uses of loops.
CANTIK_OP(never_closed) {
  op.signature("never_closed(x, name='')").composite([](Builder& b) {
    b.result(b.x() + b.call("past_value", {b.later(), b.constant(0, b.x())}));
  });
}
CANTIK_OP(closed_below) {
  op.signature("closed_below(x, name='')").type([](Infer& in) { in.set(in.in(0)); }).lower([](Builder& b) {
    b.close(b.x(), b.x());
    b.result(b.x());
  });
}
CANTIK_OP(closed_twice) {
  op.signature("closed_twice(x, name='')").composite([](Builder& b) {
    Term y = b.later(), z = b.x() + b.call("past_value", {y, b.constant(0, b.x())});
    b.close(y, z);
    b.close(y, z);
    b.result(z);
  });
}
CANTIK_LIBRARY(own_cube, never_closed, closed_below, closed_twice)

namespace {

TEST(OwnOperators, are_registered_by_the_program) {
  const std::vector<std::string> names = register_operators(cantik_library);
  EXPECT_EQ(names.at(0), "own_cube");
  EXPECT_EQ(register_operators(cantik_library), names);  // nothing changes
  const Variable x = input({2}, {.needs_gradient = true});
  const Function cube = call("own_cube", {x});
  const Feeds feeds{{x, Value::batch<float>({1, 2}, std::vector<float>{2, -3})}};
  EXPECT_EQ(cube.eval(feeds).data.at(1), -27);
  EXPECT_EQ(cube.grad(feeds, {x})[0].data.at(0), 12);
}

TEST(OwnOperators, whose_loops_are_wrong_are_errors) {
  register_operators(cantik_library);
  const Variable x = input({2}, {.axes = Axes::sequence()});
  for (const char* name : {"never_closed", "closed_below", "closed_twice"})
    EXPECT_THROW(call(name, {x}).eval({{x, Value::sequences<float>({2}, {{1, 2, 3, 4}})}}), Error) << name;
}

TEST(OwnOperators, that_are_not_there_are_an_error) {
  EXPECT_THROW(register_operators(nullptr), Error);
  EXPECT_THROW(register_operators([](const cantik_host*) -> cantik_status { return CANTIK_VALUE; }), Error);
}

}  // namespace
