// Memory: what a training step takes is reported, and nothing grows however often something runs.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cantik/learners.h>
#include <cantik/layers.h>
#include <cantik/memory.h>
#include <cantik/trainer.h>

#include "child_process.h"
#include "tour_data.h"

namespace cantik {
namespace {

// What the process has in memory, in bytes. Sanitizers keep freed memory and notes on it, and find leaks by
// themselves.
int64_t resident() {
  if (support::kSanitized) return 0;
  std::ifstream f("/proc/self/statm");
  int64_t all = 0, pages = 0;
  f >> all >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// What was allocated and not freed, beside what the caches hold, in bytes. Where allocations of thousands of
// sizes come and go, the process keeps more than that: the holes between them, which differ from run to run.
int64_t allocated_outside_of_caches() {
  if (support::kSanitized) return 0;
  const struct mallinfo2 all = mallinfo2();
  return static_cast<int64_t>(all.uordblks + all.hblkhd - cache_use().bytes);
}

constexpr int kMore = support::kSanitized ? 1 : 10;  // the sanitizers are slow
constexpr int64_t kFlat = 512 << 10;                 // six bytes a step would be more

TEST(Memory, a_training_step_is_reported) {
  Variable x = input({1000}), w = parameter({1000, 500}, 0.01, DType::float32);
  Function loss = call("reduce_sum", {call("tanh", {call("times", {x, w})})});
  Trainer trainer(Function(), loss, {sgd({w}, 0.001)});
  Feeds feeds{{x, Value::batch(Tensor::full(DType::float32, {64, 1000}, 0.5))}};
  size_t weights = 4u * 1000 * 500, before = memory_in_use();
  auto step = [&] {
    reset_memory_peak();
    trainer.train_minibatch(feeds, {.threads = 1});
    return memory_peak() - before;
  };
  EXPECT_GE(step(), 2 * weights);  // the weights, made by the first step, and their gradient, at least
  size_t second = step();
  EXPECT_LE(second, 8 * weights);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(step(), second);
}

TEST(Memory, counts_what_tensors_hold) {
  size_t before = memory_in_use();
  {
    Tensor t = Tensor::zeros(DType::float32, {1 << 20});
    EXPECT_GE(memory_in_use() - before, size_t{4} << 20);
    Tensor view = t.rows(0, 10);
    EXPECT_LT(memory_in_use() - before, size_t{5} << 20);
  }
  EXPECT_EQ(memory_in_use(), before);
  EXPECT_GE(memory_peak() - before, size_t{4} << 20);
}

TEST(Memory, is_flat_over_a_hundred_thousand_steps) {
  NumpyRandom random(0);
  TourData data = tour_data(random, 64);
  TourModel m;
  Trainer trainer(m.z, m.loss, m.metric, {adam({m.w, m.b}, 0.001, {.momentum = 0.9})});
  auto steps = [&](int count) {
    for (int i = 0; i < count; ++i) trainer.train_minibatch(m.feeds(data, i % 32, i % 32 + 1 + i % 7));
  };
  steps(1000 * kMore);
  int64_t early = resident();
  size_t held = memory_in_use();
  reset_memory_peak();
  steps(9000 * kMore);
  EXPECT_LT(resident() - early, kFlat);
  EXPECT_EQ(memory_in_use(), held);
  EXPECT_LT(memory_peak() - held, size_t{1} << 16);
}

TEST(Memory, evaluation_in_batches_of_all_sizes) {
  NumpyRandom random(0);
  TourData data = tour_data(random, 300);
  TourModel m;
  auto evaluate = [&](int count) {
    for (int i = 0; i < count; ++i) {
      int64_t rows = 1 + i * 37 % 300;
      Feeds feeds = m.feeds(data, 0, rows);
      EXPECT_EQ(m.z.eval({feeds[0]}).rows(), rows);
      EXPECT_EQ(m.loss.grad(feeds, {m.w}).size(), 1u);
    }
  };
  evaluate(300 * kMore);
  int64_t early = resident();
  size_t held = memory_in_use();
  evaluate(1500 * kMore);
  EXPECT_LT(resident() - early, kFlat);
  EXPECT_EQ(memory_in_use(), held);
}

// Every size makes a program; those that do not come back are forgotten.
TEST(Memory, evaluation_in_thousands_of_sizes_of_a_free_dimension) {
  const size_t budget = cache_use().budget;
  set_cache_budget(4 << 20);  // for the programs of about a hundred sizes
  Variable x = input({kFree, 4});
  Function f = call("reduce_sum", {call("tanh", {x})});
  auto evaluate = [&](int64_t from, int64_t to) {
    for (int64_t n = from; n > to; --n) {
      Value v = f.eval({{x, Value::batch(Tensor::zeros(DType::float32, {2, n, 4}))}});
      EXPECT_EQ(v.data.at(0), 0);
    }
  };
  evaluate(1800, 0);
  int64_t early = allocated_outside_of_caches();
  evaluate(1800, 0);
  EXPECT_LT(allocated_outside_of_caches() - early, kFlat / 4);
  set_cache_budget(budget);
}

// What kernels keep counts, and what only one run needs does not stay.
TEST(Memory, images_of_many_sizes_keep_the_budget) {
  const size_t budget = cache_use().budget;
  Variable x = input({3, kFree, kFree});
  const Function f =
      layers::sequential({layers::convolution2d({3, 3}, 8, {.activation = "relu", .pad = true}),
                          layers::global_average_pooling()})(x);
  auto evaluate = [&](int64_t from, int64_t to) {
    for (int64_t n = from; n < to; ++n)
      f.eval({{x, Value::batch(Tensor::zeros(DType::float32, {1, 3, n, 64}))}}, {.threads = 1});
  };
  set_cache_budget(8 << 20);
  evaluate(64, 400);
  const int64_t early = allocated_outside_of_caches();
  evaluate(400, 720);
  // blocks of larger images that are kept for reuse; the tables of 320 programs would be many times that
  EXPECT_LT(allocated_outside_of_caches() - early, 32 * kFlat);
  EXPECT_LT(memory_in_use(), size_t{64} << 20);
  set_cache_budget(budget);
}

TEST(Memory, functions_leave_nothing_behind) {
  auto build = [&](int count) {
    for (int i = 0; i < count; ++i) {
      TourModel m;
      Tensor row = Tensor::full(DType::float32, {1, 2}, i);
      m.loss.grad({{m.x, Value::batch(row)}, {m.y, Value::batch(row)}}, {m.w, m.b});
      Function::from_bytes(m.z.to_bytes()).clone(CloneMethod::clone);
    }
  };
  build(200);
  int64_t early = resident();
  size_t held = memory_in_use();
  build(100 * kMore);
  EXPECT_LT(resident() - early, kFlat);
  EXPECT_EQ(memory_in_use(), held);
}

}  // namespace
}  // namespace cantik
