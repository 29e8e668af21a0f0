// fit: trainings by names and defaults, over batches and sequences, and what does not fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <cantik/callbacks.h>
#include <cantik/error.h>
#include <cantik/fit.h>
#include <cantik/layers.h>
#include <cantik/learners.h>
#include <cantik/ops.h>
#include <cantik/recurrence.h>

namespace cantik {
namespace {

// Points of two classes, which a line tells apart.
struct Points {
  Tensor x{DType::float32, {200, 2}}, classes{DType::float32, {200}};
  Points() {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (int64_t i = 0; i < 200; ++i) {
      float* p = x.data<float>() + 2 * i;
      p[0] = normal(random), p[1] = normal(random);
      classes.data<float>()[i] = p[0] + 2 * p[1] > 0 ? 1.0f : 0.0f;
    }
  }
};

struct Network {
  Variable x = input({2});
  Function z;
  explicit Network(int64_t outputs = 2) : z(layers::dense({outputs}, {.init = 0.1})(x)) {}
};

template <class F>
std::string fit_error(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

TEST(Fit, learns_classes_by_their_numbers) {
  const Points p;
  for (const char* learner : {"sgd", "momentum_sgd", "nesterov", "adam", "adamw", "rmsprop", "adagrad"}) {
    Network n;
    const FitHistory h = fit(n.z, {{n.x, Value::batch(p.x)}}, Value::batch(p.classes),
                             {.learner = learner, .rate = 0.1, .epochs = 8});
    ASSERT_EQ(h.epochs.size(), 8u) << learner;
    EXPECT_LT(h.of("loss").back(), 0.5 * h.of("loss").front()) << learner;
    EXPECT_GT(h.of("metric").back(), 0.95) << learner;  // the accuracy
    EXPECT_EQ(h.best_epoch, 8);
  }
}

TEST(Fit, one_hot_rows_and_columns_of_numbers_are_the_same_labels) {
  const Points p;
  std::vector<int32_t> indices;
  for (int64_t i = 0; i < 200; ++i) indices.push_back(static_cast<int32_t>(p.classes.at(i)));
  auto losses = [&](const Value& labels) {
    Network n;
    return fit(n.z, {{n.x, Value::batch(p.x)}}, labels, {.epochs = 2}).of("loss");
  };
  const std::vector<double> due = losses(Value::batch(p.classes));
  EXPECT_EQ(losses(Value::batch(p.classes.reshape({200, 1}))), due);
  EXPECT_EQ(losses(Value::one_hot(indices, {2})), due);
}

TEST(Fit, the_seed_says_the_order) {
  const Points p;
  auto losses = [&](bool shuffle, uint64_t seed) {
    Network n;
    return fit(n.z, {{n.x, Value::batch(p.x)}}, Value::batch(p.classes),
               {.rate = 0.1, .epochs = 2, .shuffle = shuffle, .seed = seed})
        .of("loss");
  };
  EXPECT_EQ(losses(true, 3), losses(true, 3));
  EXPECT_NE(losses(true, 3), losses(true, 4));
  EXPECT_NE(losses(true, 3), losses(false, 3));
}

TEST(Fit, numbers_to_be_met_are_validated_and_the_best_epoch_stays) {
  const Points p;
  Tensor sums(DType::float32, {200});
  for (int64_t i = 0; i < 200; ++i) sums.data<float>()[i] = p.x.data<float>()[2 * i] - 1;
  for (const char* loss : {"mse", "mae", "huber"}) {
    Network n(1);
    const FitHistory h = fit(n.z, {{n.x, Value::batch(p.x)}}, Value::batch(sums),
                             {.loss = loss,
                              .metric = "mae",
                              .rate = 0.05,
                              .epochs = 200,
                              .validation_split = 0.25,
                              .patience = 3});
    ASSERT_FALSE(h.epochs.empty());
    EXPECT_LT(h.epochs.size(), 200u) << loss;
    const std::vector<double> errors = h.of("val_metric");
    EXPECT_EQ(h.best_epoch, std::min_element(errors.begin(), errors.end()) - errors.begin() + 1);
    EXPECT_LT(errors[static_cast<size_t>(h.best_epoch) - 1], 0.1) << loss;
    EXPECT_EQ(h.epochs[0].at("samples"), 150) << loss;
    EXPECT_NE(h.text().find("val_metric"), std::string::npos);
  }
}

TEST(Fit, sequences_with_a_label_each_or_a_label_a_step) {
  std::mt19937 random(2);
  std::vector<Tensor> sequences;
  std::vector<std::vector<float>> steps;
  std::vector<float> last;
  for (int i = 0; i < 60; ++i) {
    const int64_t n = 1 + static_cast<int64_t>(random() % 6);
    Tensor t(DType::float32, {n, 1});
    steps.emplace_back();
    for (int64_t k = 0; k < n; ++k) {
      t.data<float>()[k] = static_cast<float>(random() % 2);
      steps.back().push_back(t.data<float>()[k]);
    }
    last.push_back(steps.back().back());
    sequences.push_back(t);
  }
  Variable s = input({1}, {.axes = Axes::sequence()});
  const Function whole = layers::sequential({layers::fold(layers::lstm({4})), layers::dense({2})})(s);
  const FitHistory each = fit(whole, {{s, Value::sequences(sequences)}}, Value::batch<float>({60}, last),
                              {.rate = 0.05, .epochs = 40});
  EXPECT_GT(each.of("metric").back(), 0.9);
  const Function tags = layers::dense({2})(s);
  const FitHistory step = fit(tags, {{s, Value::sequences(sequences)}}, Value::sequences<float>({}, steps),
                              {.rate = 0.1, .epochs = 30, .validation_split = 0.2});
  EXPECT_GT(step.of("val_metric").back(), 0.99);
}

TEST(Fit, takes_losses_learners_and_callbacks_of_the_program) {
  const Points p;
  Network n(1);
  int64_t epochs = 0;
  FitOptions o{.own_loss = [](const Variable& z, const Variable& y) { return squared_error(z, y); },
               .own_learner = [](const std::vector<Variable>& all) { return sgd(all, 0.001); },
               .epochs = 3};
  o.callbacks = {std::make_shared<EpochCallback>([&](EpochRecord& record) {
    record.set("twice", 2 * record.at("loss"));
    return ++epochs < 2;
  })};
  const FitHistory h = fit(n.z, {{n.x, Value::batch(p.x)}}, Value::batch(p.classes), o);
  ASSERT_EQ(h.epochs.size(), 2u);
  EXPECT_EQ(h.epochs[1].at("twice"), 2 * h.epochs[1].at("loss"));
}

TEST(Fit, says_what_does_not_fit) {
  const Points p;
  const Network n;
  auto error = [&](const FitOptions& o, const Value& labels) {
    return fit_error([&] { fit(n.z, {{n.x, Value::batch(p.x)}}, labels, o); });
  };
  const Value labels = Value::batch(p.classes);
  EXPECT_NE(error({.loss = "l3"}, labels).find("there is no loss 'l3'"), std::string::npos);
  EXPECT_NE(error({.metric = "auc"}, labels).find("there is no metric 'auc'"), std::string::npos);
  EXPECT_NE(error({.learner = "lion"}, labels).find("there is no learner 'lion'"), std::string::npos);
  EXPECT_NE(error({.rate = -1.0}, labels).find("rate must be above 0"), std::string::npos);
  EXPECT_NE(error({.epochs = 0}, labels).find("epochs must be at least 1"), std::string::npos);
  EXPECT_NE(error({.batch_size = 0}, labels).find("batch_size must be at least 1"), std::string::npos);
  EXPECT_NE(error({.validation_split = 1.5}, labels).find("validation_split"), std::string::npos);
  EXPECT_NE(error({.validation_split = 0.001}, labels).find("leaves none to validate with"),
            std::string::npos);
  EXPECT_NE(error({}, Value()).find("labels need a first axis"), std::string::npos);
  EXPECT_NE(error({}, labels.part(0, 7)).find("has 7 samples"), std::string::npos);
  EXPECT_NE(error({}, Value::batch(Tensor::full(DType::float32, {200}, 2.0))).find("label 0 is 2"),
            std::string::npos);
  EXPECT_NE(error({}, Value::batch(Tensor::full(DType::float32, {200}, 0.5))).find("label 0 is 0.5"),
            std::string::npos);
  const Variable whole = input({kFree, 2}, {.axes = Axes()});
  const std::string without = fit_error(
      [&] { fit(times(whole, parameter({2, 2}, Initializer(1.0))), {{n.x, Value::batch(p.x)}}, labels); });
  EXPECT_NE(without.find("has no batch axis: it must have a row for each sample"), std::string::npos);
  EXPECT_NE(without.find("fit to_batch(model)"), std::string::npos);
  EXPECT_NE(fit_error([&] { fit(n.z, {}, labels); }).find("there are no data"), std::string::npos);
  EXPECT_NE(fit_error([&] { labels.part(5, 201); }).find("no part from 5 to 201"), std::string::npos);
}

}  // namespace
}  // namespace cantik
