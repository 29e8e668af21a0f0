// Which learning rate to take: a short training whose rate grows shows it.
//
//   RateCurve curve = find_learning_rate(trainer, source, {.minibatch_size = 64});
//   learner->reset_learning_rate(curve.suggestion);
#pragma once

#include <cstdint>
#include <vector>

#include <cantik/train.h>

namespace cantik {

// Options of find_learning_rate.
struct RateFinderOptions {
  double from = 1e-6;                             // the first rate
  double to = 1;                                  // the last one, which is greater
  int64_t minibatches = 100;                      // on which the rate grows, each time by the same factor
  TrainingParameterSchedule minibatch_size = 32;  // in samples
  double smoothing = 0.9;                         // the weight of earlier losses in a loss of the curve
  double stop_at = 4;                             // ends where a loss is so many times the smallest one
  int threads = 0;                                // at most; 0: as many as set_thread_limit says

  // The options by name.
  static constexpr auto fields() {
    using O = RateFinderOptions;
    return list(option("minibatch_size", &O::minibatch_size).at_least(1), option("start", &O::from).above(0),
                option("stop", &O::to).above(0), option("minibatches", &O::minibatches).at_least(2),
                option("smoothing", &O::smoothing).at_least(0).below(1),
                option("stop_at", &O::stop_at).above(1));
  }
};

// Losses by rates.
struct RateCurve {
  std::vector<double> rates, losses;  // losses are smoothed
  double suggestion = 0;              // the rate where the loss falls steepest
};

// Trains with rates that grow from minibatch to minibatch, and puts trainer and source back to where they
// were. All learners get the same rate. The source must have at least two minibatches. (Smith 2017, Cyclical
// learning rates for training neural networks.)
CANTIK_API RateCurve find_learning_rate(Trainer& trainer, FeedSource& source,
                                        const RateFinderOptions& options = {});

}  // namespace cantik
