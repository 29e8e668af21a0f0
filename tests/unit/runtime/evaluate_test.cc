// Evaluations: asked again and again, outputs and gradients together, wrong use.
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

struct Model {
  Variable x = input({2}, {.needs_gradient = true, .name = "x"});
  Variable z = input({2}, {.name = "z"});
  Variable w = parameter({2}, Initializer(3.0), DType::float32, "w");
  Function y = plus(element_times(x, w), z, "y").as_composite();
};
Value rows(std::vector<float> numbers) {
  const int64_t count = static_cast<int64_t>(numbers.size()) / 2;
  return Value::batch<float>({count, 2}, numbers);
}

TEST(Evaluation, asks_again_and_again) {
  const Model m;
  const Evaluation ask(m.y);
  ASSERT_EQ(ask.inputs().size(), 2u);
  EXPECT_FALSE(ask.may_keep_inputs());
  const bool x_first = ask.inputs()[0] == m.x;
  const int64_t plans = plans_compiled();
  for (int i = 1; i < 5; ++i) {
    const Value x = rows(std::vector<float>(static_cast<size_t>(2 * i), 2)),
                z = rows(std::vector<float>(static_cast<size_t>(2 * i), 1));
    const Answer a = x_first ? ask.run({x, z}) : ask.run({z, x});
    ASSERT_EQ(a.outputs.size(), 1u);
    EXPECT_TRUE(a.gradients.empty());
    EXPECT_EQ(a.outputs[0].rows(), i);
    EXPECT_EQ(a.outputs[0].data.at(0), 7);
  }
  EXPECT_EQ(plans_compiled(), plans);
}

TEST(Evaluation, outputs_and_gradients_in_the_order_of_the_question) {
  const Model m;
  const Function loss = reduce_sum(m.y);
  const Evaluation ask(loss, {.outputs = {m.y.output(), loss.output()}, .wrt = {m.w, m.x}});
  const Answer a = ask.run({{m.z, rows({1, 1})}, {m.x, rows({2, 4})}});
  ASSERT_EQ(a.outputs.size(), 2u);
  ASSERT_EQ(a.gradients.size(), 2u);
  EXPECT_EQ(a.outputs[1].data.at(0), 20);
  EXPECT_EQ(a.gradients[0].data.at(1), 4);
  EXPECT_EQ(a.gradients[1].data.at(1), 3);
  EXPECT_EQ(loss.grad({{m.z, rows({1, 1})}, {m.x, rows({2, 4})}}, {m.w})[0].data.at(0), 2);
}

TEST(Evaluation, an_answer_stays_when_another_one_is_asked_for) {
  const Model m;
  const Evaluation ask(m.y);
  const Answer first = ask.run({{m.x, rows({1, 1})}, {m.z, rows({0, 0})}});
  ask.run({{m.x, rows({5, 5})}, {m.z, rows({0, 0})}});
  EXPECT_EQ(first.outputs[0].data.at(0), 3);
}

TEST(Evaluation, of_a_network_that_awaits_the_sizes_of_its_data) {
  const Variable x = input({kInferred}, {.name = "x"});
  const Variable w = parameter({kInferred, 1}, Initializer(3.0));
  const Evaluation ask(times(x, w));
  ASSERT_EQ(ask.inputs(), std::vector<Variable>{x});
  EXPECT_NE(message([&] { ask.run({Value(Tensor::scalar(1), nullptr)}); }).find("[] without a batch"),
            std::string::npos);
  EXPECT_EQ(x.shape(), Shape({kInferred}));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(ask.run({rows({1, 2})}).outputs[0].data.at(0), 9);
  EXPECT_EQ(w.shape(), Shape({2, 1}));
  EXPECT_EQ(Evaluation(times(x, w)).run(Feeds{{x, rows({1, 1})}}).outputs[0].data.at(0), 6);
}

TEST(Evaluation, each_goes_on_with_its_own_sequences) {
  const Variable x = input({1}, {.axes = Axes::sequence()});
  const Function sum = layers::recurrence([](const Variable& h, const Variable& v) { return h + v; })(x);
  auto part = [](float number, int32_t continues) {
    return Value(Tensor::of<float>({1, 1}, {number}),
                 Layout::of_parts(std::vector<int64_t>{1}, std::vector<int32_t>{continues}));
  };
  const Evaluation a(sum), b(sum);
  auto run = [](const Evaluation& e, const Value& v) { return e.run({v}).outputs[0].data.at(0); };
  EXPECT_EQ(run(a, part(1, -1)), 1);
  EXPECT_EQ(run(b, part(100, -1)), 100);
  EXPECT_EQ(run(a, part(1, 0)), 2);
  EXPECT_EQ(run(b, part(100, 0)), 200);
  const Evaluation copy = a;
  EXPECT_EQ(run(copy, part(1, 0)), 3);
  EXPECT_EQ(run(a, part(1, 0)), 4);
  // Neither a new one nor the function itself goes on with what others have left.
  EXPECT_NE(message([&] { Evaluation(sum).run({part(1, 0)}); }), "no error");
  EXPECT_NE(message([&] { sum.eval({{x, part(1, 0)}}); }), "no error");
  // The function's own calls go on with one another, and so do evaluations that say so.
  EXPECT_EQ(sum.eval({{x, part(7, -1)}}).data.at(0), 7);
  EXPECT_EQ(sum.eval({{x, part(1, 0)}}).data.at(0), 8);
  EXPECT_EQ(run(Evaluation(sum, {.share_states = true}), part(1, 0)), 9);
  EXPECT_EQ(run(a, part(1, 0)), 5);
}

TEST(Evaluation, wrong_use) {
  const Model m;
  const Evaluation ask(m.y);
  EXPECT_TRUE(
      message([&] { ask.run({rows({1, 1})}); }).starts_with("the evaluation has 2 inputs, 1 values came"));
  EXPECT_TRUE(
      message([&] { ask.run(Feeds{{m.x, rows({1, 1})}}); }).starts_with("function expects 2 arguments"));
  EXPECT_NE(message([&] { ask.run(Feeds{{m.x, rows({1, 1})}}); }).find("give data for z"), std::string::npos);
  const Variable stranger = input({2}, {.name = "stranger"});
  EXPECT_TRUE(message([&] {
                ask.run(Feeds{{m.x, rows({1, 1})}, {m.z, rows({1, 1})}, {stranger, rows({1, 1})}});
              }).starts_with("a value was given for Input('stranger'"));
  const Value wide = Value::batch<float>({1, 3}, std::vector<float>{1, 2, 3});
  EXPECT_TRUE(message([&] { ask.run({wide, wide}); }).starts_with("The trailing dimensions"));
  EXPECT_THROW(ask.run({Value(), Value()}), Error);
  EXPECT_THROW(Evaluation(Function{}), Error);
  EXPECT_THROW(Evaluation(m.y, {.outputs = {stranger}}), Error);
  EXPECT_THROW(Evaluation(m.y, {.wrt = {stranger}}), Error);
}

}  // namespace
