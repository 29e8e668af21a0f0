// Operators as they describe themselves.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

TEST(Registry, describe_themselves) {
  const OperatorInfo& clip = operator_info("clip");
  EXPECT_EQ(clip.name, "clip");
  EXPECT_GT(operators().size(), 100u);
  const std::vector<const OperatorInfo*> all = operators();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](auto* a, auto* b) { return a->name < b->name; }));
  const OperatorInfo& dropout = operator_info("dropout");
  ASSERT_GE(dropout.field("dropout_rate"), 0);
  EXPECT_TRUE(dropout.fields[static_cast<size_t>(dropout.field("dropout_rate"))].live);
  EXPECT_EQ(dropout.field("nothing"), -1);
  EXPECT_EQ(dropout.named("cntk"), "Dropout");
  EXPECT_EQ(dropout.named("nobody's"), "");
  EXPECT_THROW(operator_info("dropuot"), Error);
  EXPECT_EQ(wrong_attribute(dropout, dropout.fields[0], "'a'").kind(), ErrorKind::type);
}

}  // namespace
