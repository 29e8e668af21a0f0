// Calls that are described: each argument is an option of a public struct, with its default, or Python's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include <cantik/call_registry.h>
#include <cantik/callbacks.h>
#include <cantik/train.h>

#include "base/calls.h"
#include "error_of.h"

namespace cantik {
namespace {

const CallDescription& described(const std::string& name) {
  const auto& all = described_calls();
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.name == name; });
  if (at == all.end()) throw key_error("no call " + name);
  return *at;
}

const CallArgument& argument(const std::string& call, const std::string& name) {
  for (const CallArgument& a : described(call).arguments)
    if (a.option.name == name) return a;
  throw key_error("no argument " + name);
}

TEST(DescribedCalls, HaveTheDefaultsOfTheStructs) {
  EXPECT_EQ(argument("EarlyStopping", "patience").option.value_text,
            std::to_string(EarlyStoppingOptions{}.patience));
  EXPECT_EQ(argument("EarlyStopping", "monitor").option.value_text, "\"val_metric\"");
  EXPECT_EQ(argument("EarlyStopping", "patience").option.range, "at least 1");
  EXPECT_EQ(argument("ReduceOnPlateau", "factor").option.range, "above 0 and below 1");
  EXPECT_EQ(argument("find_learning_rate", "start").owner, "RateFinderOptions");
  EXPECT_TRUE(argument("train", "max_epochs").option.may_be_left);
  EXPECT_TRUE(argument("CheckpointConfig", "filename").option.required);
  EXPECT_EQ(argument("train", "shuffle").owner, "");  // Python's own
}

TEST(DescribedCalls, AreToldOfOnceAndInOrder) {
  std::set<std::string> names;
  for (const CallDescription& c : described_calls()) {
    EXPECT_TRUE(names.insert(c.module + '.' + c.name).second) << c.name;
    EXPECT_FALSE(c.body.empty()) << c.name;
    EXPECT_FALSE(c.cpp.empty() && c.doc.empty()) << c.name << " says nothing of itself";
    bool has_default = false;
    for (const CallArgument& a : c.arguments) {
      const bool is_required = a.option.required && a.spelled.empty();
      EXPECT_FALSE(has_default && is_required)
          << c.name << ": " << a.option.name << " stands behind defaults";
      has_default |= !is_required;
      EXPECT_FALSE(a.owner.empty() && a.annotation.empty()) << c.name << ": " << a.option.name;
    }
  }
}

TEST(DescribedCalls, OptionsThatAreNotThereAreNamed) {
  CallDescription call;
  EXPECT_EQ(
      error_of([&] { CallDefinition(call).option<GradientNormOptions>("GradientNormOptions", "often"); }),
      "GradientNormOptions has no option often");
}

}  // namespace
}  // namespace cantik
