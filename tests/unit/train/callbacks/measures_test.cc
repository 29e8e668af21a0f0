// Norms of gradients and samples per second, as records and progress writers get them.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <cantik/callbacks.h>

#include "error_of.h"
#include "tour_session.h"

namespace cantik {
namespace {

TEST(GradientNorm, IsThatOfTheMeanLoss) {
  auto told = std::make_shared<Told>();
  Tour tour({told}), other;
  auto records = std::make_shared<Records>();
  tour.train(tour.options({gradient_norm({.every = 2}), throughput(), records}, 50));
  std::vector<double> norms;
  for (int i = 0; i < 5; ++i) {
    const Feeds feeds = other.m.feeds(data(), i * 10, i * 10 + 10);
    double sum = 0;
    for (const Value& gradient : other.m.loss.grad(feeds, {other.m.w, other.m.b}))
      for (float g : gradient.data.span<float>()) sum += static_cast<double>(g) * static_cast<double>(g);
    if (i % 2 == 0) norms.push_back(std::sqrt(sum) / 10);
    other.trainer->train_minibatch(feeds);
    EXPECT_NEAR(other.trainer->previous_minibatch_gradient_norm(), std::sqrt(sum) / 10, 1e-6);
  }
  std::vector<std::pair<std::string, double>> norms_told;
  for (const auto& entry : told->list)
    if (entry.first == "Gradient norm") norms_told.push_back(entry);
  ASSERT_EQ(norms_told.size(), norms.size());
  double mean = 0;
  for (size_t i = 0; i < norms.size(); ++i) {
    EXPECT_NEAR(norms_told[i].second, norms[i], 1e-6);
    mean += norms[i] / 3;
  }
  EXPECT_NEAR(records->list[0].at("gradient_norm"), mean, 1e-6);
  EXPECT_GT(records->list[0].at("samples_per_second"), 0);
  EXPECT_EQ(told->list.back().first, "Samples per second");
  EXPECT_EQ(error_of([] { gradient_norm({.every = 0}); }), "every must be at least 1, and is 0");
}

}  // namespace
}  // namespace cantik
