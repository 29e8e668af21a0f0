// a = v a + (1 - v) g²;  s = momentum s + gain g;  w = w - c s / (sqrt(a) + epsilon),
// c = rate sqrt(1 - v^t) / (1 - momentum^t) in the t-th update. AdaMax: a = max(v a, |g|), c = rate / (1 -
// momentum^t), no root.
//
// D. Kingma, J. Ba, Adam: a method for stochastic optimization, arXiv:1412.6980.
#include <cmath>
#include <span>
#include <string>

#include "learners/momentum.h"

namespace cantik {
namespace {

class Adam final : public MomentumLearner {
 public:
  struct Options {
    TrainingParameterSchedule momentum;
    bool unit_gain = default_unit_gain();
    TrainingParameterSchedule variance_momentum = default_variance_momentum();
    double epsilon = 1e-8;
    bool adamax = false;

    static constexpr auto fields() {
      return list(
          option("momentum", &Options::momentum, "the share of the smoothed gradient that stays").required(),
          option("unit_gain", &Options::unit_gain, "the new gradient is scaled by 1 - momentum")
              .default_call("default_unit_gain()"),
          option("variance_momentum", &Options::variance_momentum,
                 "the share of the smoothed squared gradient that stays")
              .default_call("default_variance_momentum()"),
          option("epsilon", &Options::epsilon, "added to the root")
              .behind()
              .at_least(0)
              .refusal(ErrorKind::value, "Epsilon should be non-negative. You are trying to set it to %."),
          option("adamax", &Options::adamax, "the variant with the largest gradient").behind());
    }
  };

  Adam(LearnerArguments a, Options o)
      : MomentumLearner(std::move(a), o.momentum, o.unit_gain,
                        {.states = 2, .rates = 4, .form = StateForm::stacked, .counts = true}),
        variance_momentum_(std::move(o.variance_momentum)),
        epsilon_(o.epsilon),
        adamax_(o.adamax) {
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

CANTIK_LEARNER(adam) {
  learner.is<Adam>()
      .doc(
          "Adam (Kingma and Ba 2015), with CNTK's order of operations; adamax: its variant with the largest "
          "gradient.")
      .rate_meaning(RateMeaning::adaptive)
      .example("0.1, 0.9, use_mean_gradient=True");
}

}  // namespace cantik
