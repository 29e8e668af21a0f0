// Batches of several sizes in one graph: each has rows of its own.
#include <gtest/gtest.h>

#include <cantik/cantik.h>

#include "plan/plan.h"

using namespace cantik;

namespace {

Tensor counting(Shape shape, double scale = 1) {
  Tensor t(DType::float64, std::move(shape));
  for (int64_t i = 0; i < t.elements(); ++i) t.data<double>()[i] = scale * static_cast<double>(i + 1);
  return t;
}

Variable weights(const Tensor& value) {
  Variable w = parameter(value.shape(), 0.0, DType::float64);
  w.set_value(value);
  return w;
}

// Samples [2, 3] become two samples [3] each.
Function halves(const Variable& x) { return to_batch(reshape(unpack_batch(x), {.shape = {kInferred, 3}})); }

std::vector<double> numbers_of_batch(const Value& v) {
  const double* p = v.data.data<double>();
  return {p, p + v.data.elements()};
}

std::string batch_message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was wrong";
}

TEST(Batches, a_reshaped_batch_has_rows_of_its_own) {
  Variable x = input({2, 3}, {.dtype = DType::float64, .name = "x"});
  Function y = call("element_times", {halves(x), halves(x)});
  EXPECT_EQ(Variable(y).axes(), Axes::batch());  // to the user a batch like any other
  for (int64_t n : {0, 1, 3, 8}) {
    Value v = y.eval({{x, Value::batch(counting({n, 2, 3}))}});
    ASSERT_EQ(v.data.shape(), (Shape{2 * n, 3}));
    for (int64_t i = 0; i < v.data.elements(); ++i)
      EXPECT_EQ(v.data.at(i), static_cast<double>((i + 1) * (i + 1)));
  }
}

TEST(Batches, both_may_be_asked_for_at_once) {
  Variable x = input({2, 3}, {.dtype = DType::float64});
  Function y = halves(x), z = call("plus", {x, x}), all = combine({y, z});
  std::vector<Value> v = all.eval({{x, Value::batch(counting({5, 2, 3}))}}, {Variable(y), Variable(z)});
  EXPECT_EQ(v[0].data.shape(), (Shape{10, 3}));
  EXPECT_EQ(v[1].data.shape(), (Shape{5, 2, 3}));
}

// By central differences, through a product over the larger batch, back to the first, and joined with it.
TEST(Batches, gradients) {
  Variable x = input({2, 3}, {.dtype = DType::float64, .needs_gradient = true});
  Variable w = weights(counting({3, 2}, 0.1));
  Function wide = call("tanh", {call("times", {halves(x), w})});
  Function back = to_batch(reshape(unpack_batch(wide), {.shape = {kInferred, 2, 2}}));
  Function joined = call("element_times", {back, reduce_sum(x, {1})});
  Function loss = call("sum_to", {joined}, {{"shape", Shape{}}, {"axes", int64_t{0}}});
  Tensor data = counting({4, 2, 3}, 0.05);
  std::vector<Value> g = loss.grad({{x, Value::batch(data)}}, {w, x});
  auto at = [&] { return loss.eval({{x, Value::batch(data)}}).data.at(0); };
  auto check = [&](double* p, double got) {
    const double kept = *p, h = 1e-6;
    *p = kept + h;
    const double up = at();
    *p = kept - h;
    const double down = at();
    *p = kept;
    EXPECT_NEAR(got, (up - down) / (2 * h), 1e-7);
  };
  ASSERT_EQ(g[1].data.shape(), (Shape{4, 2, 3}));
  for (int64_t i = 0; i < 24; ++i) check(data.data<double>() + i, g[1].data.at(i));
  for (int64_t i = 0; i < 6; ++i) {
    Tensor t = counting({3, 2}, 0.1);
    auto with = [&](double d) {
      t.data<double>()[i] += d;
      w.set_value(t);
      double l = at();
      t.data<double>()[i] -= d;
      return l;
    };
    EXPECT_NEAR(g[0].data.at(i), (with(1e-6) - with(-1e-6)) / 2e-6, 1e-7);
    w.set_value(counting({3, 2}, 0.1));
  }
}

TEST(Batches, backward_after_forward) {
  Variable x = input({2, 3}, {.dtype = DType::float64, .needs_gradient = true});
  Function y = call("square", {halves(x)});
  const auto [out, state] = y.forward({{x, Value::batch(counting({4, 2, 3}))}}, {}, {Variable(y)});
  ASSERT_EQ(out[0].data.shape(), (Shape{8, 3}));
  std::vector<Value> g = y.backward(
      state, {{Variable(y), Value::batch(Tensor::of<double>({8, 3}, std::vector<double>(24, 1.0)))}}, {x});
  ASSERT_EQ(g[0].data.shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(g[0].data.at(23), 48);
}

TEST(Batches, of_unlike_sizes_do_not_meet) {
  Variable x = input({2, 3}, {.dtype = DType::float64, .name = "x"});
  Function y = plus(halves(x), reduce_sum(x, {0}));
  const std::string text = batch_message([&] { y.eval({{x, Value::batch(counting({4, 2, 3}))}}); });
  EXPECT_NE(text.find("plus: the operands are batches of different sizes: to_batch_"), std::string::npos)
      << text;
  EXPECT_NE(text.find(" has 8 samples, "), std::string::npos) << text;
  EXPECT_NE(text.find(" has 4\n"), std::string::npos) << text;
  EXPECT_NE(text.find("batches_test.cc"), std::string::npos) << text;
  EXPECT_NE(text.find("remedy"), std::string::npos) << text;
}

// Sizes decide, not where a batch comes from.
TEST(Batches, of_one_size_meet) {
  Variable x = input({3}, {.dtype = DType::float64, .name = "x"});
  Function y = call("plus", {x, to_batch(weights(counting({4, 3})))});
  EXPECT_EQ(numbers_of_batch(y.eval({{x, Value::batch(counting({4, 3}))}})),
            numbers_of_batch(Value::batch(counting({4, 3}, 2))));
  const std::string text = batch_message([&] { y.eval({{x, Value::batch(counting({3, 3}))}}); });
  EXPECT_NE(text.find("plus: the operands are batches of different sizes: x has 3 samples, to_batch_"),
            std::string::npos)
      << text;
}

TEST(Batches, sequences_of_a_reshaped_batch) {
  Variable x = input({4, 3}, {.dtype = DType::float64});
  Function s = call("to_sequence", {to_batch(reshape(unpack_batch(x), {.shape = {kInferred, 2, 3}}))});
  Function sums = call("plus", {sequence::first(s), sequence::last(s)});
  Value v = sums.eval({{x, Value::batch(counting({3, 4, 3}))}});
  ASSERT_EQ(v.data.shape(), (Shape{6, 3}));
  EXPECT_EQ(v.data.at(0), 1 + 4);
  EXPECT_EQ(v.data.at(17), 33 + 36);
}

// A recurrence over steps that a reshaped batch became: each pair of samples is a sequence.
TEST(Batches, a_recurrence_over_a_reshaped_batch) {
  Variable x = input({3}, {.dtype = DType::float64, .needs_gradient = true});
  Function s = call("to_sequence", {to_batch(reshape(unpack_batch(x), {.shape = {kInferred, 2, 3}}))});
  Variable h = placeholder();
  Function sum = call("plus", {s, call("past_value", {h, constant({}, 0.0, DType::float64)})});
  Function last = sequence::last(sum.replace_placeholders({{h, Variable(sum)}}));
  Value v = last.eval({{x, Value::batch(counting({4, 3}))}});
  EXPECT_EQ(numbers_of_batch(v), (std::vector<double>{1 + 4, 2 + 5, 3 + 6, 7 + 10, 8 + 11, 9 + 12}));
  Value g = last.grad({{x, Value::batch(counting({4, 3}))}}, {x})[0];
  EXPECT_EQ(numbers_of_batch(g), std::vector<double>(12, 1.0));
}

TEST(Batches, one_plan_and_a_program_for_each_size) {
  Variable x = input({2, 3}, {.dtype = DType::float64});
  Function y = call("tanh", {halves(x)});
  y.eval({{x, Value::batch(counting({1, 2, 3}))}});
  const int64_t plans = plans_compiled(), programs = programs_made();
  for (int round = 0; round < 2; ++round)
    for (int64_t n : {2, 3}) y.eval({{x, Value::batch(counting({n, 2, 3}))}});
  EXPECT_EQ(plans_compiled(), plans);
  EXPECT_EQ(programs_made(), programs + 2);
}

// The samples of a loss are those of its own batch, as CNTK counts them.
TEST(Batches, training_counts_the_samples_of_the_loss) {
  Variable x = input({2, 3}), w = parameter({3, 1}, 0.5);
  Function y = to_batch(reshape(unpack_batch(x), {.shape = {kInferred, 3}}));
  Function loss = reduce_sum(call("square", {call("times", {y, w})}));
  Trainer trainer(loss, loss, {sgd({w}, 0.001)});
  std::vector<float> data(24, 1.0f);
  trainer.train_minibatch({{x, Value::batch<float>({4, 2, 3}, data)}});
  EXPECT_EQ(trainer.previous_minibatch_sample_count(), 8);
  EXPECT_NEAR(trainer.previous_minibatch_loss_average(), 2.25, 1e-6);
}

// Inputs keep their numbers however often the graph is imported: the steps are known in the run alone.
TEST(Batches, recurrences_over_steps_that_a_batch_becomes) {
  const Variable b = input({3, 2}, {.dtype = DType::float64});
  const Variable steps = to_sequence(to_batch(unpack_batch(b)));
  const Function sums = layers::recurrence([](Variable h, Variable x) { return h + x; })(steps);
  const Value v = sums.eval({{b, Value::batch(counting({2, 3, 2}))}});
  EXPECT_EQ(numbers_of_batch(v), (std::vector<double>{1, 2, 4, 6, 9, 12, 7, 8, 16, 18, 27, 30}));
}

}  // namespace
