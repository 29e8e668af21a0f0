// Schedules by formula, as lists of steps.
#include <cantik/schedules.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik {
namespace {

using Counted = TrainingParameterSchedule::Counted;

// Where step i of n ends, of so many samples.
int64_t end_of(int64_t i, int64_t n, int64_t samples) {
  return samples / n * (i + 1) + samples % n * (i + 1) / n;
}

void check_period(int64_t samples, int64_t steps) {
  if (samples < 1) throw value_error(cat("samples must be at least 1, and is ", samples));
  if (steps < 1) throw value_error(cat("steps must be at least 1, and is ", steps));
}

}  // namespace

TrainingParameterSchedule cosine_schedule(double rate, int64_t samples, const CosineOptions& o) {
  check_period(samples, o.steps);
  if (!(rate >= 0 && o.final_rate >= 0))
    throw value_error(cat("rates must be at least 0, and are ", rate, " and ", o.final_rate));
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
  check_period(samples, o.steps);
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

}  // namespace cantik
