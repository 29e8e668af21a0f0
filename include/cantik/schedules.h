// Schedules by formula: rates that fall along a cosine, or rise at the beginning.
//
//   auto rate = warm_up(cosine_schedule(0.1, 1000000, {.final_rate = 0.001}), 20000);
//   LearnerPtr learner = sgd(z.parameters(), rate);
#pragma once

#include <cstdint>
#include <optional>

#include <cantik/option_field.h>
#include <cantik/schedule.h>

namespace cantik {

// Options of cosine_schedule.
struct CosineOptions {
  double final_rate = 0;  // the rate at the end of the curve, and from then on
  int64_t steps = 1000;   // of which the curve is made
  // the size of minibatch that the rates are meant for
  std::optional<int64_t> minibatch_size = {};

  // The options by name.
  static constexpr auto fields() {
    using O = CosineOptions;
    return list(option("final_rate", &O::final_rate).at_least(0), option("steps", &O::steps).at_least(1),
                option("minibatch_size", &O::minibatch_size).at_least(0));
  }
};

// A rate that falls along a cosine: final_rate + (rate - final_rate) (1 + cos(pi t / samples)) / 2 after t
// samples, in steps of equal length, and final_rate from then on. (Loshchilov and Hutter 2017, SGDR.)
CANTIK_API TrainingParameterSchedule cosine_schedule(double rate, int64_t samples,
                                                     const CosineOptions& options = {});

// Options of warm_up.
struct WarmUpOptions {
  int64_t steps = 100;  // in which the rate rises

  // The options by name.
  static constexpr auto fields() { return list(option("steps", &WarmUpOptions::steps).at_least(1)); }
};

// A rate that rises in equal steps to the first one of a schedule, while so many samples go by, and follows
// the schedule from then on. A schedule of several rates must count samples, not sweeps.
CANTIK_API TrainingParameterSchedule warm_up(const TrainingParameterSchedule& schedule, int64_t samples,
                                             const WarmUpOptions& options = {});

}  // namespace cantik
