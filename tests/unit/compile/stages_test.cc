// Blocks of rows: the same results at every number of threads, and those of the rows taken together.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include <cantik/function.h>

#include "compile/pipeline.h"
#include "compile/schedule.h"
#include "plan/plan.h"

using namespace cantik;

namespace {

Tensor random_tensor(Shape shape, uint32_t seed, float scale = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0, scale);
  Tensor t(DType::float32, std::move(shape));
  for (float& x : t.span<float>()) x = normal(engine);
  return t;
}

struct Net {
  Variable x = input({64}), y = input({10});
  Variable w1 = parameter({64, 32}, random_tensor({64, 32}, 1, 0.2f)),
           b1 = parameter({32}, random_tensor({32}, 2, 0.2f));
  Variable w2 = parameter({32, 10}, random_tensor({32, 10}, 3, 0.2f));
  Function h = call("tanh", {call("plus", {call("times", {x, w1}), b1})});
  Function loss = call("cross_entropy_with_softmax", {call("times", {h, w2}), y});
  std::vector<Variable> all{w1, b1, w2};

  std::vector<Value> gradients(const Tensor& rows, const Tensor& labels, int threads) const {
    return loss.grad({{x, Value::batch(rows)}, {y, Value::batch(labels)}}, all, {.threads = threads});
  }
};

Tensor one_hot_rows(int64_t n) {
  Tensor t = Tensor::zeros(DType::float32, {n, 10});
  for (int64_t i = 0; i < n; ++i) t.data<float>()[i * 10 + i % 10] = 1;
  return t;
}

TEST(Stages, several_blocks_are_the_same_at_every_number_of_threads) {
  Net net;
  Tensor rows = random_tensor({5000, 64}, 7), labels = one_hot_rows(5000);
  ir::Request r{{}, {net.loss}, net.all, ir::Mode::training};
  ir::Graph g = ir::imported(r);
  ir::run_passes(g, r);
  ir::Schedule s = ir::schedule(g);
  int64_t most = 0;
  for (const ir::Stage& stage : s.stages)
    if (stage.blocked.size() > 3) most = stage.block_rows;
  ASSERT_GT(5000, most) << "the test wants more than one block";
  std::vector<Value> one = net.gradients(rows, labels, 1);
  for (int threads : {2, 3, 4}) {
    std::vector<Value> more = net.gradients(rows, labels, threads);
    for (size_t i = 0; i < one.size(); ++i)
      EXPECT_EQ(0, std::memcmp(one[i].data.raw(), more[i].data.raw(), one[i].data.bytes()))
          << "gradient " << i << " at " << threads << " threads";
  }
  // Rows in five calls of one block each, added up in double.
  std::vector<std::vector<double>> sums;
  for (const Value& v : one) sums.emplace_back(static_cast<size_t>(v.data.elements()), 0.0);
  for (int64_t begin = 0; begin < 5000; begin += 500) {
    std::vector<Value> part =
        net.gradients(rows.rows(begin, begin + 500), labels.rows(begin, begin + 500), 1);
    for (size_t i = 0; i < part.size(); ++i)
      for (int64_t e = 0; e < part[i].data.elements(); ++e)
        sums[i][static_cast<size_t>(e)] += part[i].data.at(e);
  }
  for (size_t i = 0; i < sums.size(); ++i)
    for (size_t e = 0; e < sums[i].size(); ++e)
      EXPECT_NEAR(one[i].data.at(static_cast<int64_t>(e)), sums[i][e], 1e-3 * (1 + std::abs(sums[i][e])));
}

TEST(Stages, a_row_is_the_same_in_any_batch) {
  Net net;
  Tensor rows = random_tensor({3000, 64}, 9);
  Value whole = net.h.eval({{net.x, Value::batch(rows)}});
  for (int64_t begin : {0, 1, 17, 1500, 2990})
    for (int64_t count : {1, 2, 5, 9}) {
      Value part = net.h.eval({{net.x, Value::batch(rows.rows(begin, begin + count))}});
      EXPECT_EQ(0,
                std::memcmp(part.data.raw(), whole.data.rows(begin, begin + count).raw(), part.data.bytes()));
    }
}

// An operand that is read for its layout alone comes before its reader: here the lengths wait for the numbers
// of a condition, which a stage of its own computes.
TEST(Stages, lengths_that_the_run_finds_come_before_what_reads_them_alone) {
  Variable x = input({1}, {.axes = Axes::sequence()});
  Function chosen = call("sequence_gather", {x, call("greater", {x, constant({1}, 2.0)})});
  Variable mask = call("sequence_unpack", {chosen}, {{"padding_value", 0.0}}).outputs()[1];
  const std::vector<Tensor> rows{Tensor::of<float>({4, 1}, {1, 3, 2, 5}),
                                 Tensor::of<float>({3, 1}, {4, 5, 6})};
  Value v = function_of({mask}).eval({{x, Value::sequences(rows)}});
  ASSERT_EQ(6, v.data.elements());
  const std::vector<double> expected{1, 1, 0, 1, 1, 1};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(expected[i], v.data.at(static_cast<int64_t>(i)));
}

TEST(Stages, an_empty_batch_has_zero_gradients) {
  Net net;
  std::vector<Value> g = net.gradients(Tensor(DType::float32, {0, 64}), Tensor(DType::float32, {0, 10}), 1);
  for (const Value& v : g)
    for (int64_t e = 0; e < v.data.elements(); ++e) EXPECT_EQ(0, v.data.at(e));
}

}  // namespace
