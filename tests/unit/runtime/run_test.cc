// Graphs built, run and differentiated through the public interface.
#include <gtest/gtest.h>

#include <cantik/function.h>

#include "compile/pipeline.h"

using namespace cantik;

namespace {

Value batch(Shape shape, std::initializer_list<float> x) {
  return Value::batch(Tensor::of<float>(std::move(shape), x));
}

std::vector<float> numbers(const Value& v) {
  std::vector<float> out;
  for (int64_t i = 0; i < v.data.elements(); ++i) out.push_back(static_cast<float>(v.data.at(i)));
  return out;
}

TEST(Run, elementwise) {
  Variable x = input({3}, {.name = "x"});
  Function y = call("plus", {x, x});
  EXPECT_EQ(numbers(y.eval({{x, batch({2, 3}, {1, 2, 3, 4, 5, 6})}})),
            (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST(Run, dense_layer_and_gradient) {
  set_verification(true);
  Variable x = input({2}, {.name = "x"});
  Variable w = parameter({2, 2}, Tensor::of<float>({2, 2}, {1, 2, 3, 4}), DType::float32, "W");
  Variable b = parameter({2}, Tensor::of<float>({2}, {0.5f, -0.5f}), DType::float32, "b");
  Function z = call("plus", {call("times", {x, w}), b});
  EXPECT_EQ(z.text().substr(0, 15), "Composite(Plus)");
  EXPECT_EQ(numbers(z.eval({{x, batch({1, 2}, {1, 1})}})), (std::vector<float>{4.5, 5.5}));
  std::vector<Value> g = z.grad({{x, batch({2, 2}, {1, 2, 3, 4})}}, {w, b});
  EXPECT_EQ(numbers(g[0]), (std::vector<float>{4, 4, 6, 6}));
  EXPECT_EQ(numbers(g[1]), (std::vector<float>{2, 2}));
}

TEST(Run, cross_entropy) {
  Variable x = input({2}), y = input({2});
  Function l = call("cross_entropy_with_softmax", {x, y});
  EXPECT_NEAR(numbers(l.eval({{x, batch({1, 2}, {0, 0})}, {y, batch({1, 2}, {1, 0})}}))[0], 0.693147, 1e-5);
}

TEST(Run, forward_then_backward_as_often_as_wanted) {
  Variable x = input({2}, {.needs_gradient = true, .name = "x"});
  Variable w = parameter({2, 2}, Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
  Function y = call("tanh", {call("times", {x, w})});
  Feeds feeds{{x, batch({1, 2}, {0.1f, 0.2f})}};
  const auto [values, state] = y.forward(feeds, {y.output()}, {y.output()});
  // does not disturb the first state
  y.forward({{x, batch({1, 2}, {5, 5})}}, {y.output()}, {y.output()});
  std::vector<Value> g = y.backward(state, {{y.output(), batch({1, 2}, {1, 1})}}, {w, x});
  std::vector<Value> twice = y.backward(state, {{y.output(), batch({1, 2}, {1, 1})}}, {x});
  std::vector<Value> direct = y.grad(feeds, {w, x});
  EXPECT_EQ(numbers(g[0]), numbers(direct[0]));
  EXPECT_EQ(numbers(g[1]), numbers(direct[1]));
  EXPECT_EQ(numbers(twice[0]), numbers(direct[1]));
  EXPECT_EQ(numbers(values[0]), numbers(y.eval(feeds)));
}

TEST(Run, a_gradient_that_reads_no_input_has_its_rows) {
  Variable x = input({2}, {.needs_gradient = true});
  Function y = call("element_times", {x, constant(Tensor::of<float>({2}, {3, 4}))});
  EXPECT_EQ(numbers(y.grad({{x, batch({3, 2}, {1, 2, 3, 4, 5, 6})}}, {x})[0]),
            (std::vector<float>{3, 4, 3, 4, 3, 4}));
}

}  // namespace
