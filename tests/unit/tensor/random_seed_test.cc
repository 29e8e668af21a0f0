// Seeds of the process: counted, fixed, or drawn from one.
#include <cantik/seed.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

namespace cantik {
namespace {

class ProcessSeeds : public testing::Test {  // leaves the process as new
 protected:
  ~ProcessSeeds() override { reset_random_seed(0); }
};

TEST_F(ProcessSeeds, AreCountedOrFixed) {
  reset_random_seed(3);
  EXPECT_FALSE(is_random_seed_fixed());
  EXPECT_EQ(next_seed(), 3u);
  EXPECT_EQ(next_worker_seed(2, 1), 9u);  // two workers, the counter at 4
  EXPECT_EQ(random_seed(), 5u);
  set_fixed_random_seed(7);
  EXPECT_TRUE(is_random_seed_fixed());
  EXPECT_EQ(random_seed(), 7u);
  EXPECT_EQ(next_seed(), 7u);
  EXPECT_EQ(next_worker_seed(2, 1), 7u);
  reset_random_seed(0);
  EXPECT_FALSE(is_random_seed_fixed());
  EXPECT_EQ(next_seed(), 0u);
}

TEST_F(ProcessSeeds, AreNeverHandedOutTwice) {
  reset_random_seed(0);
  std::vector<uint64_t> got[4];
  std::vector<std::thread> threads;
  for (auto& mine : got)
    threads.emplace_back([&mine] {
      for (int i = 0; i < 1000; ++i) mine.push_back(next_seed());
    });
  for (std::thread& t : threads) t.join();
  std::vector<uint64_t> all;
  for (auto& mine : got) all.insert(all.end(), mine.begin(), mine.end());
  std::sort(all.begin(), all.end());
  for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
}

std::vector<uint64_t> seeds_after(uint64_t seed, int count) {
  set_seed(seed);
  std::vector<uint64_t> all;
  for (int i = 0; i < count; ++i) all.push_back(next_seed());
  return all;
}

TEST_F(ProcessSeeds, GivesEachRequestItsOwn) {
  const std::vector<uint64_t> one = seeds_after(1, 1000), two = seeds_after(2, 1000);
  EXPECT_EQ(one, seeds_after(1, 1000));
  std::set<uint64_t> all(one.begin(), one.end());
  all.insert(two.begin(), two.end());
  EXPECT_EQ(all.size(), 2000u);
  EXPECT_LT(*all.rbegin(), uint64_t{1} << 53);
  EXPECT_FALSE(is_random_seed_fixed());
  EXPECT_EQ(random_seed(), 1u);
}

TEST_F(ProcessSeeds, GivesWorkersSeedsOfTheirOwn) {
  set_seed(3);
  const uint64_t first = next_worker_seed(2, 0);
  set_seed(3);
  EXPECT_NE(next_worker_seed(2, 1), first);
  const uint64_t after = next_seed();
  set_seed(3);
  next_worker_seed(2, 0);
  EXPECT_EQ(next_seed(), after);  // parameters are those of all workers
}

TEST_F(ProcessSeeds, IsLeftForWhatWasBefore) {
  reset_random_seed(5);
  const SeedSource counted = seed_source();
  set_seed(9);
  const uint64_t first = next_seed();
  const SeedSource drawn = seed_source();
  const uint64_t second = next_seed();
  set_seed_source(counted);
  EXPECT_EQ(next_seed(), 5u);
  set_seed_source(drawn);
  EXPECT_EQ(next_seed(), second);
  EXPECT_NE(first, second);
  set_fixed_random_seed(4);
  EXPECT_EQ(next_seed(), 4u);
  EXPECT_EQ(next_seed(), 4u);
}

}  // namespace
}  // namespace cantik
