// Free dimensions: known in each call; one plan serves them all.
#include <gtest/gtest.h>

#include <cantik/function.h>

#include "plan/plan.h"

using namespace cantik;

namespace {

Tensor counting(Shape shape) {
  Tensor t(DType::float32, std::move(shape));
  for (int64_t i = 0; i < t.elements(); ++i) t.data<float>()[i] = static_cast<float>(i);
  return t;
}

TEST(FreeDimension, prints_as_a_star_and_takes_any_size) {
  Variable x = input({kFree, 2}, {.name = "x"});
  EXPECT_EQ(x.text(), "Input('x', [#], [* x 2])");
  Function y = call("plus", {x, x});
  for (int64_t n : {1, 3, 7}) {
    Value v = y.eval({{x, Value::batch(counting({2, n, 2}))}});
    ASSERT_EQ(v.data.shape(), (Shape{2, n, 2}));
    EXPECT_EQ(v.data.at(4 * n - 1), 2 * (4 * n - 1));
  }
}

TEST(FreeDimension, one_plan_for_all_sizes) {
  Variable x = input({kFree, 3}, {.needs_gradient = true});
  Variable w = parameter({3, 2}, 0.5);
  Function y = call("tanh", {call("times", {x, w})});
  y.grad({{x, Value::batch(counting({1, 2, 3}))}}, {w, x});
  int64_t before = plans_compiled();
  for (int64_t n = 3; n < 9; ++n) {
    std::vector<Value> g = y.grad({{x, Value::batch(counting({2, n, 3}))}}, {w, x});
    EXPECT_EQ(g[0].data.shape(), (Shape{3, 2}));
    EXPECT_EQ(g[1].data.shape(), (Shape{2, n, 3}));
  }
  EXPECT_EQ(before, plans_compiled());
}

TEST(FreeDimension, of_size_one_broadcasts) {
  Variable x = input({kFree, 2}), y = input({kFree, 2});
  Function z = call("plus", {x, y});
  Value v = z.eval({{x, Value::batch(counting({1, 3, 2}))}, {y, Value::batch(counting({1, 1, 2}))}});
  EXPECT_EQ(v.data.shape(), (Shape{1, 3, 2}));
  EXPECT_EQ(v.data.at(5), 6);
}

TEST(FreeDimension, sizes_that_do_not_fit_are_an_error_of_the_call) {
  Variable x = input({kFree, 2}), y = input({kFree, 2});
  Function z = call("plus", {x, y});
  try {
    z.eval({{x, Value::batch(counting({1, 3, 2}))}, {y, Value::batch(counting({1, 4, 2}))}});
    FAIL() << "3 and 4 were added";
  } catch (const Error& e) {
    EXPECT_EQ(ErrorKind::shape, e.kind());
    EXPECT_NE(std::string(e.what()).find("3 and 4 stand in one axis"), std::string::npos) << e.what();
  }
}

TEST(FreeDimension, of_an_input_that_is_read_for_its_axes_alone) {
  const Variable x = input({3}, {.axes = Axes()}), like = input({kFree, 3}, {.axes = Axes()});
  const Value y = call("sequence_broadcast_as", {x, like})
                      .eval({{x, Value(Tensor::full(DType::float32, {3}, 1), nullptr)},
                             {like, Value(Tensor::full(DType::float32, {2, 3}, 5), nullptr)}});
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(y.data.at(i), 1);
}

}  // namespace
