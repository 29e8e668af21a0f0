// a = v a + (1 - v) g²;  s = momentum s + (1 - momentum) g
// w = w - c s / (sqrt(a) + epsilon) - rate weight_decay w
// c = rate sqrt(1 - v^t) / (1 - momentum^t) in the t-th update; epsilon is scaled by sqrt(1 - v^t), too
//
// I. Loshchilov, F. Hutter, Decoupled weight decay regularization, arXiv:1711.05101. The decay is no part of
// the gradient: it is not divided by sqrt(a), as l2_regularization_weight is. Without the correction of the
// bias c is the rate; without momentum and decay that is RMSProp as other toolkits have it.
#include <cmath>
#include <span>
#include <string>

#include "learners/momentum.h"

namespace cantik {
namespace {

class AdamW final : public MomentumLearner {
 public:
  struct Options {
    TrainingParameterSchedule momentum = 0.9;
    TrainingParameterSchedule variance_momentum = 0.999;
    double weight_decay = 0.01;
    double epsilon = 1e-8;
    bool correct_bias = true;

    static constexpr auto fields() {
      return list(option("momentum", &Options::momentum,
                         "the share of the smoothed gradient that stays, 0.9 by default")
                      .default_call("0.9"),
                  option("variance_momentum", &Options::variance_momentum,
                         "the share of the smoothed squared gradient that stays, 0.999 by default")
                      .default_call("0.999"),
                  option("weight_decay", &Options::weight_decay,
                         "the share of w, times the rate, that a step takes away")
                      .at_least(0),
                  option("epsilon", &Options::epsilon, "added to the root").behind().at_least(0),
                  option("correct_bias", &Options::correct_bias,
                         "whether the first averages are scaled up, which begin at 0")
                      .behind());
    }
  };

  AdamW(LearnerArguments a, Options o)
      : MomentumLearner(std::move(a), std::move(o.momentum), true,
                        {.states = 2, .rates = 7, .form = StateForm::stacked, .counts = true}),
        variance_momentum_(std::move(o.variance_momentum)),
        weight_decay_(o.weight_decay),
        epsilon_(o.epsilon),
        correct_bias_(o.correct_bias) {
    adopt_minibatch_size(variance_momentum_);
  }

 private:
  std::string name() const override { return "adamw"; }
  // 1 - v is a number of its own: in float32 the difference would be off by some 1e-5 of it.
  void trace(Element& e) const override {
    Real c = e.rate[0], epsilon = e.rate[1], decay = e.rate[2];
    e.state[0] = e.rate[3] * e.state[0] + e.rate[4] * (e.g * e.g);
    e.state[1] = e.rate[5] * e.state[1] + e.rate[6] * e.g;
    e.w = e.w - decay * e.w - c * e.state[1] / (sqrt(e.state[0]) + epsilon);
  }
  void rates(std::span<double> r, int64_t samples) override {
    double momentum = momentum_for(samples), v = Learner::momentum_for(variance_momentum_, samples);
    double t = ++smoothed_count_, root = correct_bias_ ? std::sqrt(1 - std::pow(v, t)) : 1;
    r[0] = rate_for(samples) * root / (correct_bias_ ? 1 - std::pow(momentum, t) : 1);
    r[1] = epsilon_ * root;
    r[2] = rate_for(samples) * weight_decay_;
    r[3] = v;
    r[4] = 1 - v;
    r[5] = momentum;
    r[6] = 1 - momentum;
  }

  TrainingParameterSchedule variance_momentum_;
  double weight_decay_, epsilon_;
  bool correct_bias_;
};

}  // namespace

CANTIK_LEARNER(adamw) {
  learner.is<AdamW>()
      .doc(
          "AdamW (Loshchilov and Hutter 2019): Adam with a decay of the parameters that is no part of the "
          "gradient.")
      .rate_meaning(RateMeaning::adaptive)
      .example("0.1, use_mean_gradient=True");
}

}  // namespace cantik
