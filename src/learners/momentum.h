// For learners with momentum.
#pragma once

#include <utility>

#include "learners/builtin.h"

namespace cantik {

// Of learners whose only option is their momentum.
struct MomentumOptions {
  TrainingParameterSchedule momentum;
  bool unit_gain = default_unit_gain();

  static constexpr auto fields() {
    return list(
        option("momentum", &MomentumOptions::momentum, "the share of the smoothed gradient that stays")
            .required(),
        option("unit_gain", &MomentumOptions::unit_gain, "the new gradient is scaled by 1 - momentum")
            .default_call("default_unit_gain()"));
  }
};

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
