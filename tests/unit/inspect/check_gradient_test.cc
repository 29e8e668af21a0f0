// Gradients against differences.
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string message(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

struct CheckedModel {
  Variable x = input({2}, {.dtype = DType::float64, .needs_gradient = true, .name = "x"});
  Variable w = parameter({2}, Initializer(0.7), DType::float64, "w");
  Feeds feeds{{x, Value::batch<double>({3, 2}, std::vector<double>{0.3, -0.7, 1, 2, -1, 0.1})}};
};

TEST(CheckGradient, right_gradients_pass_and_wrong_ones_do_not) {
  const CheckedModel m;
  const GradientReport right = check_gradient(element_times(tanh(m.x), m.w), m.feeds);
  EXPECT_TRUE(right) << right.text();
  ASSERT_EQ(right.errors.size(), 2u);
  EXPECT_TRUE(right.errors[0].variable == m.w);
  EXPECT_LT(right.errors[1].error, 1e-8);
  const GradientReport wrong = check_gradient(element_times(stop_gradient(tanh(m.x)), m.x), m.feeds);
  EXPECT_FALSE(wrong);
  EXPECT_GT(wrong.errors[0].error, 0.01);
  EXPECT_NE(wrong.text().find("above 1e-06: element"), std::string::npos) << wrong.text();
}

TEST(CheckGradient, rounding_is_no_gradient) {
  const CheckedModel m;
  for (const Function& flat :
       {softmax(m.x), m.x - m.x, element_times(softmax(m.x), constant({}, 1e6, DType::float64))}) {
    const GradientReport report = check_gradient(flat, m.feeds);
    EXPECT_TRUE(report) << report.text();
  }
  const GradientReport small = check_gradient(element_times(stop_gradient(m.x), m.x), m.feeds);
  EXPECT_FALSE(small) << small.text();
}

TEST(CheckGradient, values_are_the_old_ones_afterwards) {
  const CheckedModel m;
  const double before = m.w.value().at(0);
  const double fed = m.feeds[0].second.data.at(0);
  check_gradient(element_times(m.x, m.w), m.feeds);
  EXPECT_EQ(m.w.value().at(0), before);
  EXPECT_EQ(m.feeds[0].second.data.at(0), fed);
  // however it ends: here a run fails, in the middle
  const Function grown = exp(m.w * 500.0);  // finite at 0.7, and not at 1.7
  const Function sick = element_times(grown - grown, m.x);
  EXPECT_THROW(check_gradient(sick, m.feeds, {.wrt = {m.w}, .step = 1.0, .run = {.check_nan = true}}), Error);
  EXPECT_EQ(m.w.value().at(0), before);
}

TEST(CheckGradient, sequences_float32_and_samples) {
  const Variable x = input({2}, {.needs_gradient = true, .axes = Axes::sequence()});
  const Function f = layers::recurrence(layers::lstm(3))(x);
  const Feeds feeds{{x, Value::sequences<float>({2}, {{1, 2, 3, 4}, {}, {0, -1}})}};
  const GradientReport report = check_gradient(f, feeds, {.samples = 4, .seed = 3});
  EXPECT_TRUE(report) << report.text();
  EXPECT_EQ(report.tolerance, 2e-2);
  EXPECT_EQ(report.errors.size(), f.parameters().size() + 1);
}

TEST(CheckGradient, a_nan_is_no_small_error) {
  const CheckedModel m;
  const Feeds feeds{{m.x, Value::batch<double>({1, 2}, std::vector<double>{-1, 1})}};
  EXPECT_FALSE(check_gradient(log(m.x), feeds));
}

TEST(CheckGradient, wrong_use) {
  const CheckedModel m;
  const Function f = exp(m.x);
  EXPECT_TRUE(
      message([&] { check_gradient(f, m.feeds, {.step = 0.0}); }).starts_with("the step must be above 0"));
  EXPECT_TRUE(
      message([&] { check_gradient(f, m.feeds, {.step = kInfinity}); }).starts_with("the step must be"));
  EXPECT_TRUE(
      message([&] { check_gradient(f, m.feeds, {.samples = 0}); }).starts_with("samples must be at least 1"));
  EXPECT_TRUE(message([&] { check_gradient(f, {}); }).starts_with("function expects 1 arguments"));
  EXPECT_NE(message([&] { check_gradient(f, m.feeds, {.wrt = {m.w}}); }).find("is no parameter or input"),
            std::string::npos);
  const Variable plain = input({2});
  EXPECT_TRUE(message([&] {
                check_gradient(exp(plain), {{plain, Value::batch<float>({1, 2}, std::vector<float>{1, 2})}});
              }).starts_with("the function has no parameters and no inputs"));
  EXPECT_THROW(check_gradient(combine({f.output(), m.w}), m.feeds), Error);
  const Variable sparse = input({4}, {.sparse = true, .needs_gradient = true});
  const Variable weights = parameter({4, 2}, Initializer(1.0));
  EXPECT_TRUE(message([&] {
                check_gradient(times(sparse, weights),
                               {{sparse, Value::one_hot(std::vector<int32_t>{1}, Shape{4})}},
                               {.wrt = {sparse}});
              }) != "no error");
}

}  // namespace
