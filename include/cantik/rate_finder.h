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
  double from = 1e-6, to = 1;                     // rates, the second one greater
  int64_t minibatches = 100;                      // on which the rate grows by the same factor
  TrainingParameterSchedule minibatch_size = 32;  // in samples
  double smoothing = 0.9;                         // weight of earlier losses in a loss of the curve
  double stop_at = 4;                             // ends where a loss is so many times the smallest one
  int threads = 0;                                // at most; 0: as many as set_thread_limit says
};

// Losses by rates.
struct RateCurve {
  std::vector<double> rates, losses;  // losses are smoothed
  double suggestion = 0;              // the rate where the loss falls steepest
};

// Trains with rates that grow from minibatch to minibatch, and puts trainer and source back to where they
// were. All learners get the same rate. The source must have at least two minibatches.
CANTIK_API RateCurve find_learning_rate(Trainer& trainer, FeedSource& source,
                                        const RateFinderOptions& options = {});

}  // namespace cantik
