// A value of the batch, read at each step of sequences, is an index and not a copy: as text, and as numbers,
// which are those of a network that is given the copies.
#include <gtest/gtest.h>

#include <random>

#include <cantik/function.h>

#include "compile/parse.h"
#include "compile/pipeline.h"
#include "compiled.h"

using namespace cantik;
using namespace cantik::support;

namespace {

using SpreadNumbers = std::vector<double>;

constexpr int64_t kWidth = 5;

Variable sequence(const char* name) {
  return input({kWidth},
               {.dtype = DType::float64, .needs_gradient = true, .axes = Axes::sequence(), .name = name});
}
Variable batch(Shape shape) {
  return input(std::move(shape), {.dtype = DType::float64, .needs_gradient = true, .name = "v"});
}
Variable zero() { return constant(Tensor::of<double>({}, SpreadNumbers{0})); }

// y = tanh(x v + v)
Function plain(const Variable& x, const Variable& v) {
  return call("tanh", {call("plus", {call("element_times", {x, v}), v})});
}
// h[t] = tanh(x[t] + v h[t - 1]), or of the step behind
Function loop(const Variable& x, const Variable& v, const char* delay) {
  Variable state = placeholder("h");
  Function h = call("tanh", {call("plus", {x, call("element_times", {v, call(delay, {state, zero()})})})});
  return h.replace_placeholders({{state, h.output()}});
}

// y = x A, A a matrix of each sequence
Function product(const Variable& x, const Variable& v) {
  Variable column = call("reshape", {v}, {{"shape", Shape{kWidth, 1}}}),
           line = call("reshape", {v}, {{"shape", Shape{1, kWidth}}});
  return call("times", {x, call("tanh", {call("times", {column, line})})});
}

TEST(FoldSpreads, expressions_read_the_batch_by_an_index) {
  Variable x = sequence("x"), v = batch({kWidth});
  ir::Request outside{{plain(x, v)}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(count(after("gather_maps", outside), "take_rows("), 1) << after("gather_maps", outside);
  std::string text = after("fold_spreads", outside);
  EXPECT_EQ(count(text, "take_rows("), 0) << text;
  EXPECT_EQ(count(text, "each(in"), 2) << text;
  ir::Request inside{{loop(x, v, "past_value")}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(count(after("gather_maps", inside), "take_rows("), 4);
  text = after("fold_spreads", inside);
  EXPECT_EQ(count(text, "each(in"), 1) << text;
  EXPECT_EQ(count(text, "take_rows("), 2) << text;  // of x, and of the result
}

TEST(FoldSpreads, products_read_the_matrix_of_their_sequence_by_an_index) {
  Variable x = sequence("x"), v = batch({kWidth});
  const ir::Request whole{{product(x, v)}, {}, {}, ir::Mode::evaluation};
  EXPECT_EQ(count(after("gather_maps", whole), "take_rows("), 1) << after("gather_maps", whole);
  const std::string text = after("fold_spreads", whole);
  EXPECT_EQ(count(text, "take_rows("), 0) << text;
  EXPECT_EQ(count(text, "product(in0, each("), 1) << text;
  EXPECT_EQ(ir::parsed(text).text(), text);
}

TEST(FoldSpreads, results_keep_their_copies) {
  Variable x = sequence("x"), v = batch({kWidth});
  Function spread = call("sequence_broadcast_as", {v, x});
  std::string text = after("fold_spreads", {{spread}, {}, {}, ir::Mode::evaluation});
  EXPECT_EQ(count(text, "take_rows("), 1) << text;
}

Value steps(std::span<const int64_t> lengths, const SpreadNumbers& numbers_of_spread) {
  auto layout = Layout::of_lengths(lengths);
  return Value(Tensor::of<double>(Shape{layout->rows(), kWidth}, numbers_of_spread), layout);
}
SpreadNumbers numbers_of_spread(const Value& v) {
  SpreadNumbers all;
  for (int64_t i = 0; i < v.data.elements(); ++i) all.push_back(v.data.at(i));
  return all;
}
SpreadNumbers random_list(size_t n, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> one(-1, 1);
  SpreadNumbers list(n);
  for (double& x : list) x = one(generator);
  return list;
}

// Values and gradients of a network that reads v of the batch, and of the same one that is given copies of v.
void expect_the_same(const std::function<Function(const Variable&, const Variable&)>& network,
                     const std::vector<int64_t>& lengths, int threads) {
  int64_t rows = 0;
  for (int64_t n : lengths) rows += n;
  const SpreadNumbers of_x = random_list(static_cast<size_t>(rows * kWidth), 1),
                      of_v = random_list(lengths.size() * kWidth, 2);
  SpreadNumbers copies;
  for (size_t s = 0; s < lengths.size(); ++s)
    for (int64_t t = 0; t < lengths[s]; ++t)
      copies.insert(copies.end(), of_v.begin() + static_cast<std::ptrdiff_t>(s * kWidth),
                    of_v.begin() + static_cast<std::ptrdiff_t>((s + 1) * kWidth));
  const RunOptions options{.threads = threads};
  Variable x = sequence("x"), v = batch({kWidth}), u = sequence("u");
  Function spread = network(x, v), copied = network(x, u);
  const Feeds one{
      {x, steps(lengths, of_x)},
      {v, Value::batch(Tensor::of<double>({static_cast<int64_t>(lengths.size()), kWidth}, of_v))}};
  const Feeds other{{x, steps(lengths, of_x)}, {u, steps(lengths, copies)}};
  EXPECT_EQ(numbers_of_spread(spread.eval(one, options)), numbers_of_spread(copied.eval(other, options)));
  const std::vector<Value> mine = spread.grad(one, {x, v}), theirs = copied.grad(other, {x, u});
  EXPECT_EQ(numbers_of_spread(mine[0]), numbers_of_spread(theirs[0]));
  const SpreadNumbers of_copies = numbers_of_spread(theirs[1]), of_batch = numbers_of_spread(mine[1]);
  size_t row = 0;
  for (size_t s = 0; s < lengths.size(); ++s) {
    SpreadNumbers sum(kWidth, 0);
    for (int64_t t = 0; t < lengths[s]; ++t, ++row)
      for (size_t i = 0; i < kWidth; ++i) sum[i] += of_copies[row * kWidth + i];
    for (size_t i = 0; i < kWidth; ++i) EXPECT_NEAR(of_batch[s * kWidth + i], sum[i], 1e-12);
  }
}

TEST(FoldSpreads, numbers_are_those_of_copies) {
  const std::vector<std::vector<int64_t>> batches{{1}, {3, 1, 5, 2}, {4, 0, 2}, {7, 7, 7}};
  std::vector<int64_t> many;
  for (int64_t i = 0; i < 300; ++i) many.push_back((i * 7) % 23);
  for (int threads : {1, 3}) {
    for (const auto& lengths : batches) {
      expect_the_same(plain, lengths, threads);
      expect_the_same(product, lengths, threads);
      expect_the_same([](auto& x, auto& v) { return loop(x, v, "past_value"); }, lengths, threads);
      expect_the_same([](auto& x, auto& v) { return loop(x, v, "future_value"); }, lengths, threads);
    }
    expect_the_same(plain, many, threads);
    expect_the_same(product, many, threads);
    expect_the_same([](auto& x, auto& v) { return loop(x, v, "past_value"); }, many, threads);
  }
}

}  // namespace
