// a = v a + (1 - v) g²;  g' = g min(target / sqrt(a), 10);  s = momentum s + gain g';  w = w - rate s.
// The target is the root of the number of samples, smoothed as a is: n = v n + (1 - v) samples.
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learners/momentum.h"

namespace cantik {
namespace {

class FsAdaGrad final : public MomentumLearner {
 public:
  FsAdaGrad(std::vector<Variable> parameters, TrainingParameterSchedule rate,
            TrainingParameterSchedule momentum, bool unit_gain, TrainingParameterSchedule variance_momentum,
            LearnerOptions options)
      : MomentumLearner(std::move(parameters), std::move(rate), std::move(momentum), unit_gain,
                        std::move(options),
                        {.states = 2, .rates = 4, .form = StateForm::stacked, .counts = true}),
        variance_momentum_(std::move(variance_momentum)) {
    adopt_minibatch_size(variance_momentum_);
  }

 private:
  static constexpr double kMost = 10;  // by what a gradient is multiplied

  std::string name() const override { return "fsadagrad"; }
  void trace(Element& e) const override {
    Real rate = e.rate[0], momentum = e.rate[1], v = e.rate[2], target = e.rate[3];
    e.state[0] = v * e.state[0] + (1 - v) * (e.g * e.g);
    Real scaled = e.g * min(target / sqrt(e.state[0]), kMost);  // by 10 where all gradients were 0
    Real s = momentum * e.state[1] + gain(momentum) * scaled;
    e.w = -rate * s + e.w;
    e.state[1] = select(momentum > 0, s, e.state[1]);
  }
  void rates(std::span<double> r, int64_t samples) override {
    double v = Learner::momentum_for(variance_momentum_, samples);
    smoothed_count_ = v * smoothed_count_ + (1 - v) * static_cast<double>(samples);
    r[0] = rate_for(samples);
    r[1] = momentum_for(samples);
    r[2] = v;
    r[3] = std::sqrt(smoothed_count_);
  }

  TrainingParameterSchedule variance_momentum_;
};

}  // namespace

LearnerPtr fsadagrad(std::vector<Variable> parameters, TrainingParameterSchedule rate,
                     TrainingParameterSchedule momentum, bool unit_gain,
                     TrainingParameterSchedule variance_momentum, LearnerOptions options) {
  return std::make_shared<FsAdaGrad>(std::move(parameters), std::move(rate), std::move(momentum), unit_gain,
                                     std::move(variance_momentum), std::move(options));
}

}  // namespace cantik
