// Schedules by formula, as lists of steps.
#include <cantik/schedules.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "learners/calls.h"

namespace cantik {
namespace {

using Counted = TrainingParameterSchedule::Counted;

// Where step i of n ends, of so many samples.
int64_t end_of(int64_t i, int64_t n, int64_t samples) {
  return samples / n * (i + 1) + samples % n * (i + 1) / n;
}

void check_samples(int64_t samples) {
  if (samples < 1) throw value_error(cat("samples must be at least 1, and is ", samples));
}

}  // namespace

TrainingParameterSchedule cosine_schedule(double rate, int64_t samples, const CosineOptions& o) {
  check_samples(samples);
  if (!(rate >= 0)) throw value_error(cat("rate must be at least 0, and is ", rate));
  check_options(o);
  const int64_t n = std::min(o.steps, samples);
  std::vector<Counted> list;
  for (int64_t i = 0; i < n; ++i) {
    const double turn = std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    list.emplace_back(end_of(i, n, samples) - end_of(i - 1, n, samples),
                      o.final_rate + (rate - o.final_rate) * (1 + std::cos(turn)) / 2);
  }
  list.emplace_back(1, o.final_rate);
  return o.minibatch_size ? TrainingParameterSchedule(list, 1, *o.minibatch_size)
                          : TrainingParameterSchedule(list, 1);
}

TrainingParameterSchedule warm_up(const TrainingParameterSchedule& schedule, int64_t samples,
                                  const WarmUpOptions& o) {
  check_samples(samples);
  check_options(o);
  const auto steps = schedule.steps();
  if (steps.size() > 1 && schedule.is_sweep_based())
    throw value_error("warm_up counts samples, and the schedule counts sweeps")
        .remedy("give the schedule an epoch_size in samples");
  const int64_t n = std::min(o.steps, samples);
  std::vector<Counted> list;
  for (int64_t i = 0; i < n; ++i)
    list.emplace_back(end_of(i, n, samples) - end_of(i - 1, n, samples),
                      steps[0].value * static_cast<double>(i + 1) / static_cast<double>(n));
  for (size_t i = 0; i < steps.size(); ++i)
    list.emplace_back(i + 1 < steps.size() ? steps[i].end - (i ? steps[i - 1].end : 0) : 1, steps[i].value);
  return schedule.has_own_minibatch_size() ? TrainingParameterSchedule(list, 1, schedule.minibatch_size())
                                           : TrainingParameterSchedule(list, 1);
}

void describe_schedules(CallDefinitions& calls) {
  calls.add("cosine_schedule", "learners", "function")
      .is("cosine_schedule")
      .body("_cantik.cosine_schedule")
      .given("rate", "float", "", "the first rate; at least 0")
      .given("samples", "int", "", "how many it falls for; at least 1")
      .options<CosineOptions>("CosineOptions")
      .returns("TrainingParameterSchedule")
      .example(
          "rate = C.learners.cosine_schedule(0.1, 1000)\n"
          "[round(rate[t], 3) for t in (0, 250, 500, 1000)]");
  calls.add("momentum_as_time_constant_schedule", "learners", "function")
      .is("momentum_as_time_constant")
      .body("_rates.time_constant")
      .given("momentum", "RateLike", "", "samples: a number, a list or a schedule")
      .given("epoch_size", "int | None", "None",
             "samples of an epoch, for a list; None: a sweep over the data")
      .returns("TrainingParameterSchedule")
      .example("round(C.momentum_as_time_constant_schedule(100)[0], 6)");
  calls.add("warm_up", "learners", "function")
      .is("warm_up")
      .body("_cantik.warm_up")
      .given("schedule", "Any", "", "a number, a list or a schedule")
      .given("samples", "int", "", "how many it rises for; at least 1")
      .options<WarmUpOptions>("WarmUpOptions")
      .returns("TrainingParameterSchedule")
      .example(
          "rate = C.learners.warm_up(0.1, 1000, steps=4)\n"
          "[round(rate[t], 3) for t in (0, 250, 999, 1000)]");
}

}  // namespace cantik
