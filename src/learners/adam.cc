// a = v a + (1 - v) g²;  s = momentum s + gain g;  w = w - c s / (sqrt(a) + epsilon),
// c = rate sqrt(1 - v^t) / (1 - momentum^t) in the t-th update. AdaMax: a = max(v a, |g|), c = rate / (1 -
// momentum^t), no root.
//
// D. Kingma, J. Ba, Adam: a method for stochastic optimization, arXiv:1412.6980.
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"
#include "learners/momentum.h"

namespace cantik {
namespace {

class Adam final : public MomentumLearner {
 public:
  Adam(std::vector<Variable> parameters, TrainingParameterSchedule rate, TrainingParameterSchedule momentum,
       bool unit_gain, TrainingParameterSchedule variance_momentum, double epsilon, bool adamax,
       LearnerOptions options)
      : MomentumLearner(std::move(parameters), std::move(rate), std::move(momentum), unit_gain,
                        std::move(options),
                        {.states = 2, .rates = 4, .form = StateForm::stacked, .counts = true}),
        variance_momentum_(std::move(variance_momentum)),
        epsilon_(epsilon),
        adamax_(adamax) {
    if (epsilon < 0)
      throw value_error(cat("Epsilon should be non-negative. You are trying to set it to ", epsilon, "."));
    adopt_minibatch_size(variance_momentum_);
  }

 private:
  std::string name() const override { return adamax_ ? "adamax" : "adam"; }
  void trace(Element& e) const override {
    Real c = e.rate[0], momentum = e.rate[1], v = e.rate[2], epsilon = e.rate[3];
    e.state[0] = adamax_ ? max(v * e.state[0], abs(e.g)) : v * e.state[0] + (1 - v) * (e.g * e.g);
    e.state[1] = momentum * e.state[1] + gain(momentum) * e.g;
    e.w = e.w - c * e.state[1] / ((adamax_ ? e.state[0] : sqrt(e.state[0])) + epsilon);
  }
  void rates(std::span<double> r, int64_t samples) override {
    double momentum = momentum_for(samples), v = Learner::momentum_for(variance_momentum_, samples),
           t = ++smoothed_count_;
    r[0] = rate_for(samples) * (adamax_ ? 1 : std::sqrt(1 - std::pow(v, t))) / (1 - std::pow(momentum, t));
    r[1] = momentum;
    r[2] = v;
    r[3] = epsilon_;
  }

  TrainingParameterSchedule variance_momentum_;
  double epsilon_;
  bool adamax_;
};

}  // namespace

LearnerPtr adam(std::vector<Variable> parameters, TrainingParameterSchedule rate,
                TrainingParameterSchedule momentum, bool unit_gain,
                TrainingParameterSchedule variance_momentum, double epsilon, bool adamax,
                LearnerOptions options) {
  return std::make_shared<Adam>(std::move(parameters), std::move(rate), std::move(momentum), unit_gain,
                                std::move(variance_momentum), epsilon, adamax, std::move(options));
}

}  // namespace cantik
