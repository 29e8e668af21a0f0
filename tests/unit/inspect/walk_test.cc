// Walks through networks, and what is found on the way.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

struct WalkedModel {
  Variable x = input({3}, {.name = "x"});
  Function z = layers::sequential({layers::dense(4, {.name = "one"}), layers::dense(2, {.name = "two"})})(x);
};

TEST(Inspect, walks_into_blocks_as_deep_as_asked) {
  const WalkedModel m;
  auto names = [&](int depth) {
    std::vector<std::string> list;
    for (const GraphNode& n : walk(m.z, depth))
      list.push_back(n.function ? n.function.op_name() : n.leaf.name());
    return list;
  };
  const std::vector<std::string> closed = names(0), open = names(-1);
  EXPECT_EQ(closed.front(), "Dense");
  EXPECT_EQ(std::count(closed.begin(), closed.end(), "Times"), 0);
  EXPECT_EQ(std::count(open.begin(), open.end(), "Times"), 2);
  EXPECT_EQ(std::count(open.begin(), open.end(), "x"), 1);
  EXPECT_EQ(functions_of(m.z).size(), 2u);
  EXPECT_EQ(find_nodes(m.z, "one").size(), 1u);
  EXPECT_TRUE(find_nodes(m.z, "nobody").empty());
  EXPECT_EQ(find_nodes(m.z, "W").size(), 2u);
  const std::optional<GraphNode> found = find_by_uid(m.z, m.x.uid());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->leaf == m.x);
  EXPECT_FALSE(find_by_uid(m.z, "nobody"));
  EXPECT_THROW(walk(Function()), Error);
}

TEST(Inspect, attributes_and_arguments_as_in_files) {
  const Variable a = input({2}, {.name = "a"}), b = input({2, 3}, {.name = "b"});
  const Function f = times(a, b).as_composite();
  EXPECT_EQ(f.arguments()[0].name(), "a");
  EXPECT_EQ(arguments_in_file_order(f)[0].name(), "b");
  const std::optional<Dictionary> attributes = file_attributes(f.root());
  ASSERT_TRUE(attributes);
  EXPECT_TRUE(attributes->contains("outputRank"));
  EXPECT_FALSE(file_attributes(f));
  EXPECT_EQ(further_attributes(f.root()).size(), 0u);
}

}  // namespace
