// What evaluators and trainers hold.
#pragma once

#include <memory>

#include <cantik/distributed.h>
#include <cantik/evaluator.h>

#include "train/running_sum.h"
#include "train/step.h"

namespace cantik {

struct Evaluator::Work {
  Variable metric;
  std::unique_ptr<training::TrainingStep> test;      // made by the first test
  const training::TrainingStep* training = nullptr;  // of a trainer: beside which it tests
  int64_t test_samples = 0;
  CommunicatorPtr workers;           // who tests together; null: this process alone
  training::RunningSum told_metric;  // since the last summary
};

}  // namespace cantik
