// For learners with momentum.
#pragma once

#include <utility>

#include "learners/builtin.h"

namespace cantik {

class MomentumLearner : public BuiltinLearner {
 public:
  MomentumLearner(LearnerArguments arguments, TrainingParameterSchedule momentum, bool unit_gain,
                  Traits traits)
      : BuiltinLearner(std::move(arguments), traits), momentum_(std::move(momentum)), unit_gain_(unit_gain) {
    adopt_minibatch_size(momentum_);
  }

 protected:
  // Factor of the new gradient, in the arithmetic of the element type.
  Real gain(Real momentum) const { return unit_gain_ ? 1 - momentum : Real(1); }
  double momentum_for(int64_t samples) const { return Learner::momentum_for(momentum_, samples); }

  TrainingParameterSchedule momentum_;

 private:
  bool unit_gain_;
};

}  // namespace cantik
