// For learners with momentum.
#pragma once

#include <vector>

#include "learners/builtin.h"

namespace cantik {

class MomentumLearner : public BuiltinLearner {
 public:
  MomentumLearner(std::vector<Variable> parameters, TrainingParameterSchedule rate,
                  TrainingParameterSchedule momentum, bool unit_gain, LearnerOptions options, Traits traits)
      : BuiltinLearner(std::move(parameters), std::move(rate), std::move(options), traits),
        momentum_(std::move(momentum)),
        unit_gain_(unit_gain) {
    adopt_minibatch_size(momentum_);
  }

 protected:
  // By what a new gradient enters: in the arithmetic of the element type.
  Real gain(Real momentum) const { return unit_gain_ ? 1 - momentum : Real(1); }
  double momentum_for(int64_t samples) const { return Learner::momentum_for(momentum_, samples); }

  TrainingParameterSchedule momentum_;

 private:
  bool unit_gain_;
};

}  // namespace cantik
