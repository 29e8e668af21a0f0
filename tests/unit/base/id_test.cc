#include "base/id.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

using namespace cantik;

namespace {

struct Bird;
struct Tree;
using BirdId = Id<Bird>;
using TreeId = Id<Tree>;

static_assert(!std::is_convertible_v<int, BirdId>);
static_assert(!std::is_convertible_v<BirdId, int>);
static_assert(!std::is_convertible_v<TreeId, BirdId>);
template <class List, class Id>
concept Indexes = requires(List list, Id id) { list[id]; };
static_assert(Indexes<ById<BirdId, int>, BirdId>);
static_assert(!Indexes<ById<BirdId, int>, TreeId>);
static_assert(!Indexes<ById<BirdId, int>, int>);

TEST(Id, is_none_until_it_is_given_a_place) {
  EXPECT_FALSE(BirdId());
  EXPECT_FALSE(BirdId(-1));
  EXPECT_TRUE(BirdId(0));
  EXPECT_EQ(-1, BirdId().number());
  EXPECT_LT(BirdId(2), BirdId(3));
  EXPECT_LT(BirdId(), BirdId(0));
}

TEST(ById, gives_the_ids_of_what_is_added) {
  ById<BirdId, std::string> names;
  EXPECT_FALSE(names.has(BirdId(0)));
  const BirdId wren = names.add("wren"), rook = names.add("rook");
  EXPECT_EQ("wren", names[wren]);
  EXPECT_EQ("rook", names[rook]);
  EXPECT_TRUE(names.has(rook));
  EXPECT_FALSE(names.has(names.end_id()));
  EXPECT_FALSE(names.has(BirdId()));
}

TEST(ById, goes_through_its_ids_in_order) {
  ById<TreeId, int> heights = {3, 5, 8};
  std::vector<int> seen;
  for (TreeId id : heights.ids()) seen.push_back(heights[id]);
  EXPECT_EQ((std::vector{3, 5, 8}), seen);
  const TreeId first = heights.end_id();
  heights.add(13);
  seen.clear();
  for (TreeId id : heights.ids_from(first)) seen.push_back(heights[id]);
  EXPECT_EQ((std::vector{13}), seen);
  EXPECT_TRUE((ById<TreeId, int>().ids().begin() == ById<TreeId, int>().ids().end()));
}

TEST(Id, is_a_key) {
  std::unordered_map<TreeId, int> ages;
  ages[TreeId(4)] = 100;
  EXPECT_EQ(1u, ages.count(TreeId(4)));
  EXPECT_EQ(0u, ages.count(TreeId(5)));
}

}  // namespace
