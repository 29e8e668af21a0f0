// s = momentum s + gain rate g;  w = w - momentum s - gain rate g: the step looks one momentum step ahead.
//
// Y. Nesterov, A method of solving a convex programming problem with convergence rate O(1/k^2), 1983.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learners/momentum.h"

namespace cantik {
namespace {

class Nesterov final : public MomentumLearner {
 public:
  Nesterov(std::vector<Variable> parameters, TrainingParameterSchedule rate,
           TrainingParameterSchedule momentum, bool unit_gain, LearnerOptions options)
      : MomentumLearner(
            std::move(parameters), std::move(rate), std::move(momentum), unit_gain, std::move(options),
            {.states = 1, .rates = 2, .form = StateForm::like_parameter, .few_rows = FewRows::products}) {}

 private:
  std::string name() const override { return "nesterov"; }
  void trace(Element& e) const override {
    Real rate = e.rate[0], momentum = e.rate[1];
    Real step = gain(momentum) * rate * e.g;
    e.state[0] = momentum * e.state[0] + step;
    e.w = -momentum * e.state[0] + e.w - step;
  }
  void rates(std::span<double> r, int64_t samples) override {
    r[0] = rate_for(samples);
    r[1] = momentum_for(samples);
  }
};

}  // namespace

LearnerPtr nesterov(std::vector<Variable> parameters, TrainingParameterSchedule rate,
                    TrainingParameterSchedule momentum, bool unit_gain, LearnerOptions options) {
  return std::make_shared<Nesterov>(std::move(parameters), std::move(rate), std::move(momentum), unit_gain,
                                    std::move(options));
}

}  // namespace cantik
