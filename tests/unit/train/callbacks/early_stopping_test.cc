// Trainings that end when a measurement no longer gets better.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cantik/callbacks.h>

#include "error_of.h"
#include "tour_session.h"

namespace cantik {
namespace {

TEST(EarlyStopping, GivesBackTheBestParameters) {
  for (bool larger : {false, true}) {
    const double sign = larger ? -1 : 1;
    std::vector<double> values{3, 2, 2.5, 1.95, 4, 5};
    for (double& v : values) v *= sign;
    Tour tour, shorter;
    auto stopping = std::make_shared<EarlyStopping>(
        EarlyStoppingOptions{.patience = 2, .min_delta = 0.1, .larger_is_better = larger});
    tour.train(tour.options({measured(values), stopping}));
    EXPECT_EQ(stopping->best_epoch(), 2);  // 1.95 is not better by 0.1
    EXPECT_EQ(stopping->best(), 2 * sign);
    EXPECT_EQ(tour.trainer->total_number_of_samples_seen(), 200);
    shorter.train(shorter.options({}, 100));
    EXPECT_EQ(tour.weights(), shorter.weights());
  }
}

TEST(EarlyStopping, KnowsByTheNameWhichNumbersAreBetter) {
  struct Measured final : Callback {
    void on_epoch_end(TrainingSession&, EpochRecord& record) override {
      for (const char* name : {"loss2", "val_accuracy", "f1"})
        record.set(name, static_cast<double>(record.epoch()));
    }
  };
  auto best_epoch = [](const std::string& monitor, std::optional<bool> larger = {}) {
    Tour tour;
    auto stopping = std::make_shared<EarlyStopping>(
        EarlyStoppingOptions{.monitor = monitor, .patience = 100, .larger_is_better = larger});
    tour.train(tour.options({std::make_shared<Measured>(), stopping}, 150));
    return stopping->best_epoch();
  };
  EXPECT_EQ(best_epoch("loss2"), 1);
  EXPECT_EQ(best_epoch("val_accuracy"), 3);
  EXPECT_EQ(best_epoch("f1"), 3);
  EXPECT_EQ(best_epoch("f1", false), 1);
  EXPECT_EQ(best_epoch("loss2", true), 3);
}

TEST(EarlyStopping, WaitsForANumber) {
  const double nan = std::nan("");
  Tour tour;
  auto stopping = std::make_shared<EarlyStopping>(EarlyStoppingOptions{.patience = 3, .restore_best = false});
  tour.train(tour.options({measured({nan, nan, 1, nan, nan, nan})}));
  EXPECT_EQ(stopping->best_epoch(), 0);
  Tour other;
  other.train(other.options({measured({nan, nan, 1, nan, nan, nan}), stopping}));
  EXPECT_EQ(stopping->best_epoch(), 3);
  EXPECT_EQ(other.trainer->total_number_of_samples_seen(), 300);
}

TEST(EarlyStopping, NamesTheEntriesThatThereAre) {
  Tour tour;
  EXPECT_TRUE(
      error_of([&] {
        tour.train(tour.options({early_stopping()}));
      }).starts_with("monitor must be one of loss, metric, rate, samples, seconds, not 'val_metric'"));
  EXPECT_EQ(error_of([] { early_stopping({.patience = 0}); }), "patience must be at least 1, and is 0");
  EXPECT_EQ(error_of([] { early_stopping({.min_delta = -1}); }), "min_delta must be at least 0, and is -1");
  EXPECT_EQ(error_of([] { early_stopping({.monitor = ""}); }),
            "monitor must name an entry of the epochs' records");
}

}  // namespace
}  // namespace cantik
