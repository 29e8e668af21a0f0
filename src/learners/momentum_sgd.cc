// s = momentum s + gain rate g;  w = w - s. The gain is 1 - momentum, or 1 without unit gain.
//
// Rows of a gradient that has few: s = momentum s + gain g;  w = w - rate s. The numbers are the same as long
// as the rate is; it changes with the number of samples too. CNTK has both forms.
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learners/momentum.h"

namespace cantik {
namespace {

class MomentumSgd final : public MomentumLearner {
 public:
  MomentumSgd(std::vector<Variable> parameters, TrainingParameterSchedule rate,
              TrainingParameterSchedule momentum, bool unit_gain, LearnerOptions options)
      : MomentumLearner(
            std::move(parameters), std::move(rate), std::move(momentum), unit_gain, std::move(options),
            {.states = 1, .rates = 2, .form = StateForm::like_parameter, .few_rows = FewRows::products}) {}

 private:
  std::string name() const override { return "momentum_sgd"; }
  void trace(Element& e) const override {
    Real rate = e.rate[0], momentum = e.rate[1];
    e.state[0] = momentum * e.state[0] + gain(momentum) * rate * e.g;
    e.w = e.w - e.state[0];
  }
  void trace_rows(Element& e) const override {
    Real rate = e.rate[0], momentum = e.rate[1];
    e.state[0] = momentum * e.state[0] + gain(momentum) * e.g;
    e.w = e.w - rate * e.state[0];
  }
  void rates(std::span<double> r, int64_t samples) override {
    r[0] = rate_for(samples);
    r[1] = momentum_for(samples);
  }
  void report_rates() override {
    BuiltinLearner::report_rates();
    report(momentum_, "Momentum", reported_);
  }

  double reported_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

LearnerPtr momentum_sgd(std::vector<Variable> parameters, TrainingParameterSchedule rate,
                        TrainingParameterSchedule momentum, bool unit_gain, LearnerOptions options) {
  return std::make_shared<MomentumSgd>(std::move(parameters), std::move(rate), std::move(momentum), unit_gain,
                                       std::move(options));
}

}  // namespace cantik
