// Curves of the loss over rising rates.
#include <gtest/gtest.h>

#include <cmath>

#include <cantik/rate_finder.h>

#include "error_of.h"
#include "tour_session.h"

namespace cantik {
namespace {

TEST(RateFinder, LeavesTheTrainingAsItWas) {
  Tour tour, other;
  tour.train(tour.options({}, 30)), other.train(other.options({}, 30));
  const RateCurve curve = find_learning_rate(
      *tour.trainer, *tour.source, {.from = 1e-5, .to = 10, .minibatches = 40, .minibatch_size = 10});
  ASSERT_GE(curve.rates.size(), 10U);
  EXPECT_EQ(curve.rates.size(), curve.losses.size());
  EXPECT_EQ(curve.rates[0], 1e-5);
  EXPECT_NEAR(curve.rates[1] / curve.rates[0], std::pow(1e6, 1.0 / 39), 1e-9);
  EXPECT_GT(curve.suggestion, 1e-5);
  EXPECT_LT(curve.suggestion, 10);
  EXPECT_EQ(tour.weights(), other.weights());
  for (Tour* t : {&tour, &other}) t->train(t->options({}, 100));
  EXPECT_EQ(tour.weights(), other.weights());
  EXPECT_EQ(tour.trainer->parameter_learners()[0]->learning_rate(), 0.02);
}

TEST(RateFinder, RefusesWhatCannotBe) {
  Tour tour;
  auto attempt = [&](const RateFinderOptions& o) {
    return error_of([&] { find_learning_rate(*tour.trainer, *tour.source, o); });
  };
  EXPECT_TRUE(attempt({.from = 1, .to = 0.1}).starts_with("the rates must be above 0 and rise"));
  EXPECT_TRUE(attempt({.minibatches = 1}).starts_with("minibatches must be at least 2"));
  EXPECT_TRUE(attempt({.minibatch_size = 0}).starts_with("minibatch_size must be at least 1"));
  EXPECT_TRUE(attempt({.smoothing = 1}).starts_with("smoothing must be"));
  EXPECT_TRUE(attempt({.stop_at = 1}).starts_with("stop_at must be"));
  ArraySource one(Arrays{{tour.m.x, data().x}, {tour.m.y, data().y}}, 10);
  EXPECT_TRUE(error_of([&] { find_learning_rate(*tour.trainer, one); }).starts_with("the rate finder needs"));
}

}  // namespace
}  // namespace cantik
