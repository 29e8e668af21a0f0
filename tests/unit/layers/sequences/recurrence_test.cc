// Recurrences in C++: layers, steps of code, types in loops, errors.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

#include "graph/node.h"

using namespace cantik;

namespace {

Variable sequence(Shape shape, const std::string& name = "x") {
  return input(std::move(shape), {.axes = Axes::sequence(), .name = name});
}

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

TEST(Recurrence, a_bidirectional_tagger) {
  Function tagger = layers::sequential(
      {layers::embedding(150),
       layers::side_by_side({layers::recurrence(layers::lstm(300)),
                             layers::recurrence(layers::lstm(300), {.go_backwards = true})}),
       layers::dense(127)});
  Function z = tagger(sequence({943}));
  EXPECT_EQ(z.output().shape(), (Shape{127}));
  EXPECT_EQ(z.output().axes(), Axes::sequence());
  EXPECT_EQ(z.parameters().size(), 9u);
  EXPECT_EQ(z.parameter("E").shape(), (Shape{943, 150}));
  EXPECT_EQ(z.signature(), "Composite(x: Sequence[Tensor[943]]) -> Sequence[Tensor[127]]");
}

TEST(Recurrence, of_half_numbers) {
  Variable x = input({2}, {.dtype = DType::float16, .axes = Axes::sequence()});
  auto sum = [](Variable h, Variable x) { return h + x; };
  Function sums = layers::recurrence(sum, {.initial_state = {0.5}})(x);
  EXPECT_EQ(sums.output().dtype(), DType::float16);
  const Tensor steps = Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}).cast(DType::float16);
  const Tensor made = sums.eval({{x, Value::sequences(std::vector{steps})}}).sequence(0);
  for (int i = 0; const double wanted : {1.5, 2.5, 4.5, 6.5, 9.5, 12.5}) EXPECT_EQ(made.at(i++), wanted);
  // a number that has no exact form in 16 bits is not rounded unasked
  EXPECT_NE(
      message([&] { layers::recurrence(sum, {.initial_state = {0.1}})(x); }).find("float16 and float32"),
      std::string::npos);
}

TEST(Recurrence, steps_are_code) {
  Variable x = sequence({3});
  Function sums = layers::recurrence([](Variable h, Variable x) { return h + x; });
  EXPECT_EQ(sums(x).output().type().text(), "float32[#, *, 3]");
  Function fading = layers::recurrence([](Variable h, Variable x) { return 0.9 * h + tanh(x) / 2; });
  EXPECT_EQ(fading(x).output().type().text(), "float32[#, *, 3]");
  Function two =
      layers::recurrence([](Variable h, Variable c, Variable x) { return std::pair(h + c, c * x); },
                         {.initial_state = {0, 1.0}, .return_full_state = true});
  EXPECT_EQ(two(x).outputs().size(), 2u);
  auto three = [](Variable a, Variable b, Variable c, Variable x) { return std::tuple(a + x, b + a, c + b); };
  Function from = layers::recurrence_from(three, {.return_full_state = true});
  std::vector<std::string> names;
  for (const Variable& v : from.arguments()) names.push_back(v.name());
  EXPECT_EQ(names, (std::vector<std::string>{"h", "c", "a", "x"}));
  std::vector<Variable> several = from(input({3}), input({3}), input({3}), x).outputs();
  ASSERT_EQ(several.size(), 3u);
  for (const Variable& v : several) EXPECT_EQ(v.type().text(), "float32[#, *, 3]");
  auto list = [](Variable h, Variable x) { return std::vector<Variable>{h - x}; };
  EXPECT_EQ(layers::recurrence(list)(x).output().shape(), (Shape{3}));
}

TEST(Recurrence, cells_have_the_parameters_of_their_papers) {
  Variable x = sequence({3});
  Function z = layers::recurrence(
      layers::lstm(5, {.cell_shape = 7, .use_peepholes = true, .enable_self_stabilization = true}))(x);
  EXPECT_EQ(z.parameter("W").shape(), (Shape{3, 28}));
  EXPECT_EQ(z.parameter("H").shape(), (Shape{5, 28}));
  EXPECT_EQ(z.parameter("Cf").shape(), (Shape{7}));
  EXPECT_EQ(z.parameter("P").shape(), (Shape{7, 5}));
  EXPECT_EQ(z.output().shape(), (Shape{5}));
  EXPECT_EQ(layers::recurrence(layers::gru(4))(x).parameter("H1").shape(), (Shape{4, 4}));
  EXPECT_EQ(layers::recurrence(layers::rnn_step(4, {.activation = "tanh", .dtype = DType::float64}))(
                input({3}, {.dtype = DType::float64, .axes = Axes::sequence()}))
                .output()
                .dtype(),
            DType::float64);
}

TEST(Recurrence, wrong_steps_are_named) {
  EXPECT_NE(
      message([] { layers::recurrence(layers::dense(3)); }).find("takes 1 arguments and gives 1 results"),
      std::string::npos);
  EXPECT_NE(message([] {
              layers::recurrence(layers::lstm(3), {.initial_state = {1, 2, 3}});
            }).find("the step has 2 states, but 3 initial states were given"),
            std::string::npos);
  EXPECT_NE(message([] {
              layers::recurrence([](Variable h, Variable) { return h; });
            }).find("unused arguments (x)"),
            std::string::npos);
  EXPECT_NE(message([] { layers::lstm(0); }).find("must be positive"), std::string::npos);
  EXPECT_NE(message([] {
              layers::past_value_window(0, -2);
            }).find("window_size must be at least 1 and at most 65536, and is 0"),
            std::string::npos);
  EXPECT_NE(message([] {
              layers::attention_model(3, {.attention_span = 2});
            }).find("attention_axis cannot be None"),
            std::string::npos);
}

TEST(Recurrence, a_loop_needs_a_delay) {
  Variable x = sequence({3}), p = placeholder("p");
  Function z = call("tanh", {call("plus", {p, x})});
  std::string text = message([&] { z.replace_placeholders({{p, z.output()}}); });
  EXPECT_NE(text.find("the loop has no delay"), std::string::npos) << text;
  EXPECT_EQ(z.placeholders(), std::vector<Variable>{p});
  Function w = call("plus", {call("future_value", {p, constant(Shape(), 0.0)}),
                             call("plus", {call("past_value", {p, constant(Shape(), 0.0)}), x})});
  EXPECT_NE(message([&] {
              w.replace_placeholders({{p, w.output()}});
            }).find("contains past_value and future_value"),
            std::string::npos);
}

TEST(Recurrence, nothing_is_left_of_a_loop) {
  std::weak_ptr<Node> root, delayed;
  {
    Function z = layers::recurrence(layers::gru(3), {.go_backwards = true})(sequence({2}));
    root = z.outputs()[0].node();
    delayed = z.outputs()[0].owner().inputs()[5].node();
    ASSERT_TRUE(delayed.lock()->op);
    EXPECT_EQ(delayed.lock()->op->name, "future_value");
    Function copy = z.clone(CloneMethod::clone);
    Variable kept = copy.output();
    copy = Function();
    EXPECT_EQ(function_of({kept}).parameters().size(), 4u);
  }
  EXPECT_TRUE(root.expired());
  EXPECT_TRUE(delayed.expired());
}

TEST(Recurrence, steps_may_change_what_they_hold_and_promise_not_to_throw) {
  const Variable x = input({1}, {.axes = Axes::sequence()});
  const Function counted = layers::recurrence([n = 0](Variable h, Variable v) mutable {
    ++n;
    return h + v * n;
  })(x);
  const Function quiet = layers::recurrence([](Variable h, Variable v) noexcept { return h + v; })(x);
  const Feeds feeds{{x, Value::sequences(std::vector<Tensor>{Tensor::of<float>({3, 1}, {1, 2, 3})})}};
  EXPECT_EQ(counted.eval(feeds).data.at(2), 6);
  EXPECT_EQ(quiet.eval(feeds).data.at(2), 6);
}

}  // namespace
