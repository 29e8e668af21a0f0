// Networks in which code sees each value: the same numbers, once a step, gradients too.
#include <cmath>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

struct Counter final : Observer {
  std::map<std::string, int64_t> forward_rows, backward_rows;
  void forward(const Variable& v, const UserRows& rows) override {
    forward_rows[v.is_output() ? v.owner().op_name() : v.name()] += rows.rows();
  }
  void backward(const Variable& v, const UserRows& rows) override {
    backward_rows[v.is_output() ? v.owner().op_name() : v.name()] += rows.rows();
  }
};

TEST(Observe, the_numbers_stay_and_each_value_is_seen) {
  const Variable x = input({2}, {.needs_gradient = true, .name = "x"});
  const Function z = reduce_sum(exp(layers::dense(3, {.name = "d"})(x)));
  const Feeds feeds{{x, Value::batch<float>({4, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8})}};
  const auto counter = std::make_shared<Counter>();
  const Function seen = observed(z, counter);
  EXPECT_EQ(seen.eval(feeds).data.at(0), z.eval(feeds).data.at(0));
  EXPECT_EQ(counter->forward_rows["x"], 4);
  EXPECT_EQ(counter->forward_rows["Dense"], 4);
  EXPECT_EQ(counter->forward_rows["Exp"], 4);
  EXPECT_TRUE(counter->backward_rows.empty());
  EXPECT_EQ(seen.parameters().size(), z.parameters().size());
  EXPECT_TRUE(seen.parameters()[0] == z.parameters()[0]);
  const Tensor slope = seen.grad(feeds, {x})[0].data, expected = z.grad(feeds, {x})[0].data;
  for (int64_t i = 0; i < 8; ++i) EXPECT_EQ(slope.at(i), expected.at(i));
  EXPECT_EQ(counter->backward_rows["Exp"], 4);
  // a copy of the copy is observed as well
  const Function copy = seen.clone(CloneMethod::share);
  copy.eval({{copy.arguments()[0], feeds[0].second}});
  EXPECT_EQ(counter->forward_rows["x"], 12);
}

TEST(Observe, a_recurrence_is_seen_step_by_step) {
  const Variable x = input({1}, {.axes = Axes::sequence(), .name = "x"});
  const Function sums =
      layers::recurrence([](const Variable& h, const Variable& v) { return plus(h, v, "sum"); })(x);
  const Feeds feeds{{x, Value::sequences<float>({1}, {{1, 2, 3}, {4}})}};
  const auto counter = std::make_shared<Counter>();
  const Function seen = observed(sums.clone_flattened(), counter);
  const Value y = seen.eval({{seen.arguments()[0], feeds[0].second}}), expected = sums.eval(feeds);
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(y.data.at(i), expected.data.at(i));
  EXPECT_EQ(counter->forward_rows["Plus"], 4);
}

// The default initial state is a constant of float32, which follows the sequence.
TEST(Observe, a_recurrence_of_float64_is_seen) {
  const Variable x = input({2}, {.dtype = DType::float64, .axes = Axes::sequence()});
  const Function z = layers::recurrence([](const Variable& h, const Variable& v) { return 0.5 * h + v; })(x);
  const Feeds feeds{{x, Value::sequences<double>({2}, {{1, 2, 3, 4}, {5, 6}})}};
  const Value y = observed(z, std::make_shared<Counter>()).eval(feeds), expected = z.eval(feeds);
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(y.data.at(i), expected.data.at(i));
}

TEST(Observe, the_copy_of_a_recurrence_goes_with_its_last_handle) {
  const auto counter = std::make_shared<Counter>();
  {
    const Variable x = input({1}, {.axes = Axes::sequence()});
    const Function sums = layers::recurrence([](const Variable& h, const Variable& v) { return h + v; })(x);
    observed(sums.clone_flattened(), counter);
  }
  EXPECT_EQ(counter.use_count(), 1);
}

TEST(Observe, parameters_that_a_network_changes_stay_what_they_are) {
  const Variable x = input({3}, {.name = "x"});
  const Function z = layers::batch_normalization()(x);
  const auto counter = std::make_shared<Counter>();
  const Function seen = observed(z, counter);
  EXPECT_EQ(seen.constants().size(), z.constants().size());
  const Feeds feeds{{x, Value::batch<float>({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6})}};
  EXPECT_EQ(seen.eval(feeds).data.at(4), z.eval(feeds).data.at(4));
}

TEST(Observe, other_functions_may_stand_behind_values) {
  const Variable x = input({1}, {.name = "x"});
  const Function z = exp(x);
  const Function twice = with_each_value(z, [](const Variable& v) { return v * 2.0; });
  EXPECT_NEAR(twice.eval({{x, Value::batch<float>({1, 1}, std::vector<float>{1})}}).data.at(0),
              2 * std::exp(2.0), 1e-4);
}

TEST(Observe, wrong_use) {
  const Variable x = input({1}, {.name = "x"});
  EXPECT_THROW(observed(exp(x), nullptr), Error);
  EXPECT_THROW(with_each_value(Function(), [](const Variable& v) { return function_of({v}); }), Error);
  EXPECT_THROW(with_each_value(exp(x), [](const Variable&) { return Function(); }), Error);
}

}  // namespace
