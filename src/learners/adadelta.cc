// a = rho a + (1 - rho) g²
// d = g sqrt(x + epsilon) / sqrt(a + epsilon)
// x = rho x + (1 - rho) d²
// w = w - rate d
//
// M. Zeiler, ADADELTA: an adaptive learning rate method, arXiv:1212.5701.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learners/builtin.h"

namespace cantik {
namespace {

class AdaDelta final : public BuiltinLearner {
 public:
  AdaDelta(std::vector<Variable> parameters, TrainingParameterSchedule rate, double rho, double epsilon,
           LearnerOptions options)
      : BuiltinLearner(std::move(parameters), std::move(rate), std::move(options),
                       {.states = 2, .rates = 3, .form = StateForm::stacked, .idle_decay = rho}),
        rho_(rho),
        epsilon_(epsilon) {}

 private:
  std::string name() const override { return "adadelta"; }
  void trace(Element& e) const override {
    Real rate = e.rate[0], rho = e.rate[1], epsilon = e.rate[2];
    e.state[0] = rho * e.state[0] + (1 - rho) * (e.g * e.g);
    Real d = e.g * (sqrt(e.state[1] + epsilon) / sqrt(e.state[0] + epsilon));
    e.state[1] = rho * e.state[1] + (1 - rho) * (d * d);
    e.w = -rate * d + e.w;
  }
  void rates(std::span<double> r, int64_t samples) override {
    r[0] = rate_for(samples);
    r[1] = rho_;
    r[2] = epsilon_;
  }

  double rho_, epsilon_;
};

}  // namespace

LearnerPtr adadelta(std::vector<Variable> parameters, TrainingParameterSchedule rate, double rho,
                    double epsilon, LearnerOptions options) {
  return std::make_shared<AdaDelta>(std::move(parameters), std::move(rate), rho, epsilon, std::move(options));
}

}  // namespace cantik
