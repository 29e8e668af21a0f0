// Which value belongs to which input, and whether it suits.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

#include "error_of.h"

using namespace cantik;

namespace {

struct FedModel {
  Variable x = input({2}, {.needs_gradient = true, .name = "x"});
  Variable z = input({2}, {.name = "z"});
  Variable w = parameter({2}, Initializer(3.0), DType::float32, "w");
  Function y = plus(element_times(x, w), z, "y").as_composite();
};

TEST(FeedMatcher, by_variable_by_name_and_by_itself) {
  const FedModel m;
  const std::vector<Variable> inputs{m.x, m.z};
  FeedMatcher both(m.y, inputs);
  EXPECT_TRUE(both.named("z") == m.z);
  EXPECT_TRUE(both.named(m.x.uid()) == m.x);
  EXPECT_EQ(error_of([&] { both.named("q"); }),
            "variable with name \"q\" does not exist in the network. Available variable names: x, z");
  EXPECT_TRUE(error_of([&] { both.only(); }).starts_with("function expects 2 arguments"));
  EXPECT_TRUE(both.place(m.z) == size_t{1});
  EXPECT_NE(error_of([&] { both.check_complete(); }).find("give data for x"), std::string::npos);
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
  EXPECT_NE(error_of([&] {
              FeedMatcher(exp(m.w).as_composite(), none).only();
            }).find("function expects 0 arguments"),
            std::string::npos);
}

std::vector<float> numbers_of_value(const Value& v) {
  const float* first = v.data.data<float>();
  return {first, first + v.data.shape().elements()};
}

// Whoever reads sequences reads the samples of a batch as sequences of one step.
TEST(Feeds, a_batch_is_sequences_of_one_step) {
  const Variable s = input({2}, {.needs_gradient = true, .axes = Axes::sequence(), .name = "s"});
  const Value batch = Value::batch<float>({3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const Value steps = Value::sequences(batch.data, std::vector<int64_t>{1, 1, 1});
  for (const Function& f :
       {layers::fold(layers::lstm(4))(s), layers::recurrence(layers::gru(4))(s), sequence::last(s),
        sequence::softmax(s), sequence::reduce_sum(s), sequence::past_value(s), relu(s)}) {
    const Value made = f.eval({{s, batch}}), expected = f.eval({{s, steps}});
    EXPECT_EQ(numbers_of_value(made), numbers_of_value(expected)) << f.text();
    EXPECT_TRUE(made.layout->has_lengths_of(*expected.layout));
    EXPECT_EQ(made.layout->is_batch(), expected.layout->is_batch());
    EXPECT_EQ(numbers_of_value(Evaluation(f).run(std::vector<Value>{batch}).outputs[0]),
              numbers_of_value(expected));
    EXPECT_EQ(numbers_of_value(f.grad({{s, batch}}, {s})[0]), numbers_of_value(f.grad({{s, steps}}, {s})[0]));
  }
  const Value none = Value::batch(Tensor::zeros(DType::float32, {0, 2}));
  EXPECT_EQ(sequence::last(s).eval({{s, none}}).rows(), 0);
  const Variable w = input({4}, {.sparse = true, .axes = Axes::sequence()});
  EXPECT_EQ(sequence::last(w).eval({{w, Value::one_hot(std::vector<int32_t>{3, 0}, {4})}}).size(), 2);
}

TEST(Feeds, a_batch_beside_sequences) {
  const Variable s = input({2}, {.axes = Axes::sequence(), .name = "s"});
  const Variable t = input({2}, {.axes = Axes::sequence(), .name = "t"});
  const Value batch = Value::batch(Tensor::full(DType::float32, {2, 2}, 1));
  const Value steps = Value::sequences(batch.data, std::vector<int64_t>{1, 1});
  const Value longer = Value::sequences(Tensor::full(DType::float32, {3, 2}, 1), std::vector<int64_t>{1, 2});
  const Function sum = plus(s, t).as_composite();
  EXPECT_EQ(sum.eval({{s, batch}, {t, steps}}).size(), 2);
  EXPECT_EQ(sum.eval({{s, steps}, {t, batch}}).size(), 2);
  for (const Feeds& feeds : {Feeds{{s, batch}, {t, longer}}, Feeds{{s, longer}, {t, batch}}})
    EXPECT_NE(error_of([&] { sum.eval(feeds); }).find("sequences of different lengths: sequence 1 of"),
              std::string::npos);
  // ... and sequences of one step are a batch where there is no sequence axis.
  const Variable x = input({2}, {.name = "x"});
  EXPECT_TRUE(relu(x).eval({{x, steps}}).layout->is_batch());
}

TEST(Feeds, an_error_says_which_axis_is_missing) {
  const Variable x = input({2}, {.name = "x"});
  const Variable s = input({2}, {.axes = Axes::sequence(), .name = "s"});
  const Variable one = input({2}, {.axes = Axes(), .name = "one"});
  const Tensor pair = Tensor::zeros(DType::float32, {2});
  const std::string without = error_of([&] { check_feed(x, Value(pair, nullptr)); });
  EXPECT_EQ(without,
            "the value for Input('x', [#], [2]) is a tensor of the shape [2] without a batch\n"
            "  remedy   give Value::batch(tensor) with a tensor of the shape [*, 2], whose first axis counts "
            "the samples");
  EXPECT_NE(error_of([&] { check_feed(s, Value(pair, nullptr)); }).find("or Value::sequences"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { check_feed(one, Value::batch(Tensor::zeros(DType::float32, {3, 2}))); }),
            "a batch of 3 samples was given for Input('one', [], [2]), which has no batch axis\n"
            "  remedy   give one tensor of the shape [2], or declare the input with Axes::batch()");
}

}  // namespace
