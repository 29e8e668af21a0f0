// What a trainer holds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cantik/distributed.h>
#include <cantik/trainer.h>

#include "distributed/gradient_exchange.h"
#include "distributed/meter.h"
#include "learners/universal.h"
#include "train/running_sum.h"
#include "train/step.h"

namespace cantik {

namespace training {

// In a trainer's state: what each worker alone knows; where recurrences stopped in the last minibatch.
inline constexpr const char *kDistributed = "DistributedState", *kStates = "CarriedStates",
                            *kExternalStates = "ExternalStates";  // of all workers

}  // namespace training

struct Trainer::Training {
  Function model;
  Variable loss;
  Function whole;  // all of it, as checkpoints' model files have it
  std::vector<LearnerPtr> learners;
  // of each learner: it exchanges what it learns with other workers; null for the others
  std::vector<DistributedLearner*> distributed;
  bool is_distributed = false;  // one of them has other workers
  bool is_new = false;          // this worker has been taken in, and has not got the training's state yet
  int64_t acted = 0;            // checkpoints and other actions of all workers, between minibatches
  std::vector<char> builtin;    // of each learner: it keeps no gradient
  // of each learner: its graph is a part of the step; null for the others
  std::vector<UniversalLearner*> compiled;
  std::vector<std::vector<ParameterGradient>> gradients;  // of each learner
  std::vector<MinibatchTotals> totals;                    // of each learner, after the exchange
  const void* block = nullptr;                            // where the gradients point
  std::unique_ptr<training::TrainingStep> step;
  // during the backward pass; null: after it, by the learners
  std::unique_ptr<distributed::GradientExchange> exchange;
  bool has_metric = false;
  int64_t samples = 0;
  double loss_sum = 0, metric_sum = 0;
  training::RunningSum told_loss, told_metric;  // since the last summary
  distributed::WorkReport report;

  // Who sums gradients during the backward pass of this minibatch; null: nobody.
  distributed::GradientExchange* during_backward() const {
    for (const DistributedLearner* d : distributed)
      if (!d || !d->exchanges()) return nullptr;
    return exchange && exchange->serves() ? exchange.get() : nullptr;
  }
  // Of the distributed learners the one that tells losses and metrics.
  DistributedLearner* of_workers() const {
    for (DistributedLearner* d : distributed)
      if (d && d->is_metric_aggregator()) return d;
    for (DistributedLearner* d : distributed)
      if (d) return d;
    return nullptr;
  }
  // What callers gave save_checkpoint, in the order of workers; each gets its own back, if there are as many.
  DictionaryVector external_states(const Dictionary& own) const;
  Dictionary external_state(const Dictionary& trainer) const;
};

}  // namespace cantik
