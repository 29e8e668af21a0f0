// Rates that fall when a measurement no longer gets better.
#include <gtest/gtest.h>

#include <vector>

#include <cantik/callbacks.h>

#include "error_of.h"
#include "tour_session.h"

namespace cantik {
namespace {

TEST(ReduceOnPlateau, MultipliesTheRate) {
  Tour tour;
  auto records = std::make_shared<Records>();
  const ReduceOnPlateauOptions o{.factor = 0.5, .patience = 2, .cooldown = 1, .min_rate = 0.004};
  tour.train(tour.options({measured({1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5}), reduce_on_plateau(o), records}));
  std::vector<double> rates;
  for (const EpochRecord& r : records->list) rates.push_back(r.at("rate"));
  // After epoch 3; epoch 4 rests; after epoch 6; epoch 7 is better; after epoch 9, not below the least.
  EXPECT_EQ(rates, (std::vector<double>{0.02, 0.02, 0.02, 0.01, 0.01, 0.01, 0.005, 0.005, 0.005, 0.004}));
  EXPECT_EQ(error_of([] { reduce_on_plateau({.factor = 1}); }),
            "factor must be above 0 and below 1, and is 1");
  EXPECT_EQ(error_of([] { reduce_on_plateau({.cooldown = -1}); }), "cooldown must be at least 0, and is -1");
  EXPECT_EQ(error_of([] { reduce_on_plateau({.min_rate = -1}); }), "min_rate must be at least 0, and is -1");
}

}  // namespace
}  // namespace cantik
