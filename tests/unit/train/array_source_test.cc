// Sources over arrays: their order, their place, what belongs together.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <cantik/error.h>
#include <cantik/train.h>

#include "error_of.h"
#include "tour_data.h"

namespace cantik {
namespace {

const TourData& source_data() {
  static const TourData d = [] {
    NumpyRandom random(0);
    return tour_data(random, 200);
  }();
  return d;
}

TEST(ArraySource, KeepsItsPlace) {
  TourModel m;
  Arrays arrays{{m.x, source_data().x}};
  ArraySource a(arrays), b(arrays);
  EXPECT_FALSE(a.next(150).value().sweep_end);
  b.restore(a.state());
  const FeedMinibatch rest = b.next(150).value();
  EXPECT_TRUE(rest.sweep_end);
  EXPECT_EQ(rest.feeds[0].second.rows(), 50);
  EXPECT_EQ(rest.feeds[0].second.data.at(0), source_data().x.at(300));
  ArraySource c(arrays, 170);
  EXPECT_TRUE(c.next(150));
  EXPECT_EQ(c.next(150).value().feeds[0].second.rows(), 20);
  EXPECT_FALSE(c.next(1));
  ArraySource small({{m.x, source_data().x.rows(0, 100)}});
  EXPECT_THROW(small.restore(a.state()), Error);
}

TEST(ArraySource, TakesSequencesByTheirSteps) {
  Variable x = input({1}, {.axes = Axes::sequence()}), b = input({1});
  Value sequences =
      Value::sequences<float>({1}, {{1, 2, 3, 4}, {5}, {}, {6, 7, 8}, {9, 10, 11, 12, 13, 14, 15}, {16}});
  ArraySource source(Feeds{{x, sequences}, {b, Value::batch(Tensor::of<float>({6, 1}, {0, 1, 2, 3, 4, 5}))}});
  EXPECT_TRUE(source.has_sequences());
  EXPECT_EQ(source.rows(), 6);
  source.end_after(1);
  std::vector<std::pair<int64_t, int64_t>> seen;  // sequences and steps
  std::vector<double> firsts;
  while (const std::optional<FeedMinibatch> next = source.next(5)) {
    const Value &steps = next->feeds[0].second, &rows = next->feeds[1].second;
    seen.emplace_back(steps.size(), steps.rows());
    firsts.push_back(rows.data.at(0));
    EXPECT_EQ(rows.rows(), steps.size());
    EXPECT_EQ(next->sweep_end, seen.size() == 4);
  }
  // A sample beside a sequence counts one step: the empty sequence too. The one of seven steps comes alone.
  EXPECT_EQ(seen, (std::vector<std::pair<int64_t, int64_t>>{{2, 5}, {2, 3}, {1, 7}, {1, 1}}));
  EXPECT_EQ(firsts, (std::vector<double>{0, 2, 4, 5}));
}

TEST(ArraySource, SequencesShareTheirMemory) {
  Variable x = input({1}, {.axes = Axes::sequence()});
  Value sequences = Value::sequences<float>({1}, {{1, 2}, {3, 4}});
  ArraySource source(Feeds{{x, sequences}});
  source.next(2);
  Dictionary state = source.state();
  const FeedMinibatch second = source.next(2).value();
  EXPECT_EQ(second.feeds[0].second.data.data<float>(), sequences.data.data<float>() + 2);
  EXPECT_TRUE(second.sweep_end);
  source.restore(state);
  EXPECT_EQ(source.next(2).value().feeds[0].second.data.at(0), 3);
}

TEST(ArraySource, RefusesWhatDoesNotBelongTogether) {
  Variable x = input({1}, {.axes = Axes::sequence()}), y = input({1});
  Value two = Value::sequences<float>({1}, {{1, 2}, {3, 4}});
  EXPECT_TRUE(error_of([&] {
                ArraySource(Feeds{{x, two}, {y, Value::batch(Tensor::zeros(DType::float32, {4, 1}))}});
              }).starts_with("all data items must have the same first dimension"));
  EXPECT_TRUE(error_of([&] {
                ArraySource(Feeds{{x, Value(two.data, nullptr)}});
              }).starts_with("each array of a source needs an input"));
  EXPECT_EQ(error_of([&] { ArraySource(Feeds{{x, Value::sequences<float>({1}, {})}}); }), "data is empty");
}

TEST(ArraySource, ShufflesEachSweepAnew) {
  Variable x = input({2}), s = input({1}, {.axes = Axes::sequence()}), sparse = input({5}, {.sparse = true});
  std::vector<float> numbers;
  std::vector<std::vector<float>> sequences;
  std::vector<int32_t> columns;
  for (int i = 0; i < 30; ++i) {
    const auto n = static_cast<float>(i);
    numbers.insert(numbers.end(), {n, -n});
    sequences.emplace_back(static_cast<size_t>(i % 4), n);
    columns.push_back(i % 5);
  }
  const Feeds feeds{{x, Value::batch(Tensor::of<float>({30, 2}, std::span<const float>(numbers)))},
                    {s, Value::sequences<float>({1}, sequences)},
                    {sparse, Value::batch(Tensor::one_hot(DType::float32, {30, 5}, columns))}};
  ArraySource source(feeds), same(feeds), other(feeds);
  source.shuffle(3), same.shuffle(3), other.shuffle(4);
  std::vector<std::vector<int>> sweeps(1);
  FeedMinibatch got;
  auto next = [&](ArraySource& from) {
    std::optional<FeedMinibatch> m = from.next(7);
    if (m) got = *std::move(m);
    return m.has_value();
  };
  for (int minibatch = 0; sweeps.size() < 4; ++minibatch) {
    if (minibatch == 5) {  // goes on in the middle of a sweep, whatever its seed was
      other.restore(source.state());
      ASSERT_TRUE(next(other));
      const float first = *got.feeds[0].second.data.data<float>();
      ASSERT_TRUE(next(source));
      EXPECT_EQ(*got.feeds[0].second.data.data<float>(), first);
    } else {
      ASSERT_TRUE(next(source));
    }
    const Value &a = got.feeds[0].second, &b = got.feeds[1].second, &c = got.feeds[2].second;
    int64_t step = 0;
    for (int64_t i = 0; i < a.size(); ++i) {
      const int id = static_cast<int>(a.data.at(2 * i));
      sweeps.back().push_back(id);
      EXPECT_EQ(a.data.at(2 * i + 1), -id);
      EXPECT_EQ(b.layout->length(i), id % 4);
      for (int64_t k = 0; k < b.layout->length(i); ++k) EXPECT_EQ(b.data.at(step++), id);
      EXPECT_EQ(c.data.columns()[i], id % 5);
    }
    if (got.sweep_end) sweeps.emplace_back();
  }
  for (int i = 0; i < 3; ++i) {
    std::vector<int> sorted = sweeps[static_cast<size_t>(i)];
    EXPECT_NE(sorted, sweeps[static_cast<size_t>(i + 1) % 3]);
    std::sort(sorted.begin(), sorted.end());
    for (int k = 0; k < 30; ++k) EXPECT_EQ(sorted[static_cast<size_t>(k)], k);
  }
  ASSERT_TRUE(next(same));
  EXPECT_EQ(static_cast<int>(got.feeds[0].second.data.at(0)), sweeps[0][0]);
  ArraySource straight(feeds);
  EXPECT_TRUE(
      error_of([&] { straight.restore(source.state()); }).starts_with("the checkpoint stopped in shuffled"));
  EXPECT_TRUE(
      error_of([&] { source.restore(straight.state()); }).starts_with("the checkpoint stopped in data in"));
}

TEST(ArraySource, workers_that_there_are_not) {
  ArraySource source(Feeds{{input({1}), Value::batch(Tensor::zeros(DType::float32, {4, 1}))}});
  EXPECT_EQ(error_of([&] { source.set_share({0, 0}); }), "there is no worker 0 of 0");
  EXPECT_EQ(error_of([&] { source.set_share({2, 5}); }), "there is no worker 5 of 2");
}

}  // namespace
}  // namespace cantik
