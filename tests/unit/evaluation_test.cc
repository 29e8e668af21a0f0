// Evaluation, and which value belongs to which input.
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

TEST(FeedMatcher, by_variable_by_name_and_by_itself) {
  const Model m;
  const std::vector<Variable> inputs{m.x, m.z};
  FeedMatcher both(m.y, inputs);
  EXPECT_TRUE(both.named("z") == m.z);
  EXPECT_TRUE(both.named(m.x.uid()) == m.x);
  EXPECT_EQ(message([&] { both.named("q"); }),
            "variable with name \"q\" does not exist in the network. Available variable names: x, z");
  EXPECT_TRUE(message([&] { both.only(); }).starts_with("function expects 2 arguments"));
  EXPECT_TRUE(both.place(m.z) == size_t{1});
  EXPECT_NE(message([&] { both.check_complete(); }).find("give data for x"), std::string::npos);
  EXPECT_TRUE(both.place(m.x) == size_t{0});
  both.check_complete();
  EXPECT_FALSE(both.place(m.w));
  ASSERT_EQ(both.unread().size(), 1u);
  EXPECT_THROW(both.refuse_strangers(), Error);

  const Function one = exp(m.x).as_composite();
  const std::vector<Variable> x{m.x};
  FeedMatcher only(one, x);
  EXPECT_TRUE(only.only() == m.x);
  // of several arguments the one that is read
  FeedMatcher read(m.y, x);
  EXPECT_TRUE(read.only() == m.x);
  const std::vector<Variable> none;
  EXPECT_NE(message([&] {
              FeedMatcher(exp(m.w).as_composite(), none).only();
            }).find("function expects 0 arguments"),
            std::string::npos);
}

TEST(Session, runs_in_the_order_of_its_inputs) {
  const Variable x = input({1}, {.axes = Axes::sequence(), .name = "x"});
  const Function sums =
      layers::recurrence([](const Variable& h, const Variable& v) { return plus(h, v); })(x);
  Session s(sums, 2);
  ASSERT_EQ(s.inputs().size(), 1u);
  EXPECT_TRUE(s.inputs()[0] == x);
  EXPECT_EQ(s.outputs().size(), 1u);
  EXPECT_TRUE(s.model() == sums);
  std::vector<Value> step{Value(Tensor::of<float>({2, 1}, {1, 10}), s.one_step(2))};
  s.run_in_order(step);
  step = {Value(Tensor::of<float>({2, 1}, {1, 10}), s.one_step(2))};
  EXPECT_EQ(s.run_in_order(step)[0].data.at(1), 20);
  std::vector<Value> none;
  EXPECT_TRUE(message([&] { s.run_in_order(none); }).starts_with("the session has 1 inputs, 0 values came"));
  EXPECT_TRUE(message([&] { s.run(Feeds{}); }).starts_with("function expects 1 arguments"));
}

}  // namespace
