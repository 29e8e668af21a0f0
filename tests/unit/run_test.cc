// Graphs built, run and differentiated through the public interface.
#include <gtest/gtest.h>

#include <cantik/function.h>

#include "compile/pipeline.h"

using namespace cantik;

namespace {

Value batch(Shape shape, std::initializer_list<float> x) { return Value::batch(Tensor::of<float>(std::move(shape), x)); }

std::vector<float> numbers(const Value& v) {
  std::vector<float> out;
  for (int64_t i = 0; i < v.data.elements(); ++i) out.push_back(static_cast<float>(v.data.at(i)));
  return out;
}

TEST(Run, elementwise) {
  Variable x = input({3}, {.name = "x"});
  Function y = call("plus", {x, x});
  EXPECT_EQ(numbers(y.eval({{x, batch({2, 3}, {1, 2, 3, 4, 5, 6})}})), (std::vector<float>{2, 4, 6, 8, 10, 12}));
}

TEST(Run, dense_layer_and_gradient) {
  ir::set_verification(true);
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

}  // namespace
