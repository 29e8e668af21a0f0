// Tables of networks.
#include <string>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

struct SummarizedModel {
  Variable x = input({3}, {.name = "x"});
  Function z = layers::sequential({layers::dense(4, {.name = "one"}), layers::dense(2, {.name = "two"})})(x);
};

bool summary_contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Summary, of_a_network) {
  const SummarizedModel m;
  const NetworkSummary s = summary(m.z);
  EXPECT_EQ(s.parameters, 3 * 4 + 4 + 4 * 2 + 2);
  EXPECT_EQ(s.tensors, 4);
  ASSERT_EQ(s.rows.size(), 2u);
  EXPECT_EQ(s.rows[0].name, "one");
  EXPECT_EQ(s.rows[1].parameters, 10);
  EXPECT_EQ(s.text(),
            "name  operator  output  parameters\n"
            "----------------------------------\n"
            "x               3\n"
            "one   Dense     4               16\n"
            "two   Dense     2               10\n"
            "----------------------------------\n"
            "26 parameters in 4 tensors");
  // a parameter that two functions share counts once
  const Variable w = parameter({1000, 3}, Initializer(0.0)), y = input({1000});
  const NetworkSummary shared = summary(plus(times(y, w), times(y, w)));
  EXPECT_EQ(shared.parameters, 3000);
  EXPECT_TRUE(summary_contains(shared.text(), "3,000 parameters in 1 tensors"));
}

}  // namespace
