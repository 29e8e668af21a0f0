// Which value belongs to which input.
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

}  // namespace
