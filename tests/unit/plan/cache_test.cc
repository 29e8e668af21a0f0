// What is kept from run to run: one budget in bytes, what was used longest ago goes first.
#include <gtest/gtest.h>

#include <thread>

#include <cantik/function.h>
#include <cantik/memory.h>

#include "plan/plan.h"

using namespace cantik;

namespace {

constexpr size_t kBudget = size_t{1} << 20;

class Cache : public ::testing::Test {
 protected:
  Cache() { set_cache_budget(kBudget); }
  ~Cache() override { set_cache_budget(before_); }

 private:
  const size_t before_ = cache_use().budget;
};

Value ones(int64_t steps, int64_t width = 2) {
  Tensor t(DType::float32, {steps, width});
  for (int64_t i = 0; i < t.elements(); ++i) t.data<float>()[i] = 1;
  return Value(t, Layout::of_lengths(std::vector<int64_t>{steps}));
}

// A program for each length.
struct Unpacked {
  Variable x = input({2}, {.axes = Axes::sequence()});
  Function f = call("sum_to", {call("unpack_steps", {x}, {{"padding_value", 0.0}})},
                    {{"shape", Shape{}}, {"axes", int64_t{0}}});
  float sum(int64_t steps) const { return f.eval({{x, ones(steps)}}).data.data<float>()[0]; }
};

TEST_F(Cache, ten_thousand_lengths) {
  Unpacked u;
  u.sum(1);
  const int64_t plans = plans_compiled(), programs = programs_made();
  size_t most = 0, after_a_tenth = 0;
  for (int64_t steps = 2; steps <= 10001; ++steps) {
    ASSERT_EQ(u.sum(steps), 2 * static_cast<float>(steps));
    most = std::max(most, cache_use().bytes);
    if (steps == 1001) after_a_tenth = most;
  }
  EXPECT_EQ(plans_compiled(), plans);
  EXPECT_EQ(programs_made(), programs + 10000);
  EXPECT_GT(cache_use().dropped, 9000);
  // memory of the longest is larger than that of the others
  EXPECT_LT(most, after_a_tenth + after_a_tenth / 4 + (size_t{1} << 20));
}

TEST_F(Cache, ten_thousand_graphs_made_and_dropped) {
  size_t after_a_tenth = 0, most = 0;
  const int64_t before = plans_compiled();
  for (int i = 0; i < 10000; ++i) {
    Variable x = input({1 + i});
    Function f = call("tanh", {call("element_times", {x, x})});
    f.eval({{x, Value::batch(Tensor(DType::float32, {1, 1 + i}))}});
    most = std::max(most, cache_use().bytes);
    if (i == 1000) after_a_tenth = most;
  }
  EXPECT_GE(plans_compiled(), before + 10000);
  EXPECT_LE(most, after_a_tenth + after_a_tenth / 10);
}

TEST_F(Cache, a_graph_of_known_structure_compiles_nothing) {
  auto run = [] {
    Variable x = input({2});
    call("tanh", {x}).eval({{x, Value::batch(Tensor::of<float>({1, 2}, {0, 0}))}});
  };
  run();
  const int64_t plans = plans_compiled(), programs = programs_made();
  for (int i = 0; i < 10000; ++i) run();
  EXPECT_EQ(plans_compiled(), plans);
  EXPECT_EQ(programs_made(), programs);
}

TEST_F(Cache, what_is_used_again_and_again_stays) {
  Unpacked often, seldom;
  often.sum(1);
  int64_t made = 0;
  for (int64_t steps = 2; steps < 2000; ++steps) {
    seldom.sum(steps);
    const int64_t before = programs_made();
    often.sum(1);
    made += programs_made() - before;
  }
  EXPECT_GT(cache_use().dropped, 0);
  EXPECT_EQ(made, 0);
}

TEST_F(Cache, what_was_dropped_is_made_again) {
  Unpacked u;
  const float first = u.sum(3);
  for (int64_t steps = 4; steps < 1000; ++steps) u.sum(steps);
  const int64_t before = programs_made();
  EXPECT_EQ(u.sum(3), first);
  EXPECT_EQ(programs_made(), before + 1);
}

// Sequences may go on after anything else has run: what delays carry is no cache.
TEST_F(Cache, carried_states_stay) {
  Variable x = input({1}, {.axes = Axes::sequence()});
  Variable state = placeholder();
  Function sum = call("plus", {x, call("past_value", {state, constant(Tensor::of<float>({1}, {0}))})});
  sum.replace_placeholders({{state, sum.output()}});
  auto step = [&](int32_t from) {
    const std::vector<int64_t> lengths{1};
    const std::vector<int32_t> parts{from};
    const Value v(Tensor::of<float>({1, 1}, {1}), Layout::of_parts(lengths, parts));
    return sum.eval({{x, v}}).data.data<float>()[0];
  };
  EXPECT_EQ(step(-1), 1);
  Unpacked u;
  for (int64_t steps = 1; steps < 1000; ++steps) u.sum(steps);
  EXPECT_EQ(step(0), 2);
}

TEST_F(Cache, threads_share_it_with_no_room_at_all) {
  set_cache_budget(0);
  Unpacked shared;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < 300; ++i) {
        const int64_t steps = 1 + (i * (t + 3)) % 97;
        if (shared.sum(steps) != 2 * static_cast<float>(steps)) ++wrong;
        Unpacked own;
        if (own.sum(steps) != 2 * static_cast<float>(steps)) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Cache, bytes_are_those_of_what_is_there) {
  set_cache_budget(0);
  const size_t before = cache_use().bytes;
  {
    Variable x = input({1000});
    Function f = call("tanh", {call("times", {x, parameter({1000, 1000}, 0.1)})});
    f.eval({{x, Value::batch(Tensor(DType::float32, {64, 1000}))}});
    // packed weights, and the product before tanh
    EXPECT_GT(cache_use().bytes, before + 1000 * 1000 * 4);
  }
  EXPECT_LT(cache_use().bytes, before + 200000);  // the plan serves others
}

}  // namespace
