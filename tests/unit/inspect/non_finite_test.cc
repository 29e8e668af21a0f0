// Numbers that are not finite: where they begin.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct SearchedModel {
  Variable x = input({2}, {.dtype = DType::float64, .needs_gradient = true, .name = "x"});
  Variable w = parameter({2}, Initializer(0.7), DType::float64, "w");
  Feeds feeds{{x, Value::batch<double>({3, 2}, std::vector<double>{0.3, -0.7, 1, 2, -1, 0.1})}};
};

TEST(NonFinite, names_where_it_begins) {
  const SearchedModel m;
  const Function grown = exp(m.x * 1000.0, "grown");
  const Function end = plus(minus(grown, grown, "lost"), m.w, "end");
  const std::vector<NonFinite> found = find_non_finite(end, m.feeds);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].variable.owner().name(), "grown");
  EXPECT_TRUE(found[0].is_origin);
  EXPECT_EQ(found[0].infinities, 2);
  EXPECT_EQ(found[0].nans, 0);
  EXPECT_EQ(found[0].row, 1);
  EXPECT_EQ(found[0].element, 0);
  EXPECT_EQ(found[1].variable.owner().name(), "lost");
  EXPECT_EQ(found[1].nans, 2);
  EXPECT_FALSE(found[1].is_origin);
  EXPECT_FALSE(found[2].is_origin);
  EXPECT_NE(found[0].text().find("2 infinities, first in row 1, element 0"), std::string::npos)
      << found[0].text();
  EXPECT_TRUE(find_non_finite(exp(m.x), m.feeds).empty());
}

TEST(NonFinite, inputs_parameters_and_recurrences) {
  const SearchedModel m;
  m.w.set_value(Tensor::of<double>({2}, {1.0, kInfinite}));
  const std::vector<NonFinite> of_parameter = find_non_finite(plus(m.x, m.w), m.feeds);
  ASSERT_EQ(of_parameter.size(), 2u);
  EXPECT_TRUE(of_parameter[0].variable == m.w);
  EXPECT_EQ(of_parameter[0].infinities, 1);
  EXPECT_TRUE(of_parameter[0].is_origin);
  EXPECT_FALSE(of_parameter[1].is_origin);
  const Variable s = input({1}, {.axes = Axes::sequence(), .name = "s"});
  const Function sums =
      layers::recurrence([](const Variable& h, const Variable& v) { return plus(h, v); })(s);
  const std::vector<NonFinite> of_steps =
      find_non_finite(sums, {{s, Value::sequences<float>({1}, {{1, static_cast<float>(kInfinite), 2}})}});
  ASSERT_GE(of_steps.size(), 2u);
  EXPECT_TRUE(of_steps[0].variable == s);
  EXPECT_EQ(of_steps[0].row, 1);
  EXPECT_EQ(of_steps.back().infinities, 2);
  EXPECT_THROW(find_non_finite(sums, {}), Error);
}

}  // namespace
