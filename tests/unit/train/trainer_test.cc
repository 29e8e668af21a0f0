// Trainers and evaluators.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <cantik/error.h>
#include <cantik/learners.h>
#include <cantik/ops.h>
#include <cantik/seed.h>
#include <cantik/train.h>
#include <cantik/trainer.h>

#include "tour_data.h"

namespace cantik {
namespace {

struct FixedSeed {
  explicit FixedSeed(uint64_t seed) { set_fixed_random_seed(seed); }
  ~FixedSeed() { reset_random_seed(0); }
};

TEST(Trainer, ToursLogisticRegression) {
  FixedSeed seed(1);
  NumpyRandom random(0);
  TourData train = tour_data(random, 20000), test = tour_data(random, 1024);
  TourModel m;
  EXPECT_NEAR(m.w.value().at(0), -0.8968154, 1e-7);
  std::vector<std::string> lines;
  auto printer = std::make_shared<ProgressPrinter>(ProgressPrinterOptions{.freq = 50},
                                                   [&](std::string_view line) { lines.emplace_back(line); });
  Trainer trainer(m.z, m.loss, m.metric, {sgd({m.w, m.b}, 0.1)}, {printer});
  for (int64_t i = 0; i < 20000; i += 32)
    EXPECT_TRUE(trainer.train_minibatch(m.feeds(train, i, std::min<int64_t>(i + 32, 20000))));
  trainer.summarize_training_progress();
  const std::vector<std::string> expected = {
      "Learning rate per minibatch: 0.1",
      " Minibatch[   1-  50]: loss = 0.663274 * 1600, metric = 37.31% * 1600;",
      " Minibatch[  51- 100]: loss = 0.481867 * 1600, metric = 20.56% * 1600;",
      " Minibatch[ 101- 150]: loss = 0.402196 * 1600, metric = 12.94% * 1600;",
      " Minibatch[ 151- 200]: loss = 0.386619 * 1600, metric = 13.75% * 1600;",
      " Minibatch[ 201- 250]: loss = 0.328646 * 1600, metric = 9.19% * 1600;",
      " Minibatch[ 251- 300]: loss = 0.301831 * 1600, metric = 9.50% * 1600;",
      " Minibatch[ 301- 350]: loss = 0.299345 * 1600, metric = 9.44% * 1600;",
      " Minibatch[ 351- 400]: loss = 0.279577 * 1600, metric = 8.94% * 1600;",
      " Minibatch[ 401- 450]: loss = 0.281061 * 1600, metric = 8.25% * 1600;",
      " Minibatch[ 451- 500]: loss = 0.261366 * 1600, metric = 7.81% * 1600;",
      " Minibatch[ 501- 550]: loss = 0.244967 * 1600, metric = 7.12% * 1600;",
      " Minibatch[ 551- 600]: loss = 0.243953 * 1600, metric = 8.31% * 1600;",
      "Finished Epoch[1]: loss = 0.344399 * 20000, metric = 12.58% * 20000 ",  // then the time
  };
  ASSERT_EQ(lines.size(), expected.size());
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i].substr(0, expected[i].size()), expected[i]);
  EXPECT_NEAR(trainer.previous_minibatch_loss_average(), 0.1233455166, 1e-7);
  EXPECT_EQ(trainer.previous_minibatch_sample_count(), 32);
  EXPECT_EQ(trainer.total_number_of_samples_seen(), 20000);
  for (int64_t i = 0; i < 1024; i += 32) trainer.test_minibatch(m.feeds(test, i, i + 32));
  trainer.summarize_test_progress();
  EXPECT_EQ(lines.back(), "Finished Evaluation [1]: Minibatch[1-32]: metric = 8.11% * 1024;");
}

// Totals are those of float32: float16 would lose them, and they are read as numbers of four bytes.
TEST(Trainer, LossesOfShortNumbers) {
  Variable x = input({2}, {.dtype = DType::float16}), y = input({1}, {.dtype = DType::float16});
  Variable w = parameter({2, 1}, 0.5);
  const Function z = times(x, cast(w, DType::float16)), loss = squared_error(z, y);
  const Feeds feeds{{x, Value::batch(Tensor::full(DType::float16, {4, 2}, 1))},
                    {y, Value::batch(Tensor::full(DType::float16, {4, 1}, 3))}};
  Trainer trainer(z, loss, abs(z - y), {sgd({w}, 0.01)});
  trainer.train_minibatch(feeds);
  EXPECT_EQ(trainer.previous_minibatch_loss_average(), 4);
  EXPECT_EQ(trainer.previous_minibatch_evaluation_average(), 2);
  w.set_value(Tensor::full(DType::float32, {2, 1}, 0.5));
  EXPECT_EQ(trainer.test_minibatch(feeds), 2);
  EXPECT_EQ(test(loss, feeds).metric, 4);
}

TEST(Trainer, refuses_rows_without_a_batch_beside_a_batch_of_labels) {
  const Variable x = input({kFree, 2}, {.axes = Axes(), .name = "x"}), y = input({3}, {.name = "y"});
  const Variable w = parameter({2, 3}, Initializer(1.0));
  const Function z = alias(times(x, w), "z"), rows = to_batch(z);
  try {
    Trainer(z, cross_entropy_with_softmax(z, y), Variable(), {sgd({w}, 0.1)});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("the model's result Output('z', [], [* x 3]) has no batch axis"), std::string::npos);
    EXPECT_NE(text.find("remedy   make its first axis the batch: loss and metric of to_batch(z)"),
              std::string::npos);
  }
  Trainer trainer(rows, cross_entropy_with_softmax(rows, y), Variable(), {sgd({w}, 0.1)});
  const Value labels = Value::batch<float>({2, 3}, std::vector<float>{1, 0, 0, 0, 1, 0});
  EXPECT_TRUE(
      trainer.train_minibatch({{x, Value(Tensor::full(DType::float32, {2, 2}, 1), nullptr)}, {y, labels}}));
  // A row of a static size is one for all samples.
  const Variable v = parameter({3}, Initializer(1.0));
  const Function one = alias(v);
  EXPECT_NO_THROW(Trainer(one, cross_entropy_with_softmax(one, y), Variable(), {sgd({v}, 0.1)}));
}

}  // namespace
}  // namespace cantik
