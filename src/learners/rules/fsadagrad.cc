// a = v a + (1 - v) g²;  g' = g min(target / sqrt(a), 10);  s = momentum s + gain g';  w = w - rate s.
// The target is the root of the number of samples, smoothed as a is: n = v n + (1 - v) samples.
#include <cmath>
#include <span>
#include <string>

#include "learners/momentum.h"

namespace cantik {
namespace {

class FsAdaGrad final : public MomentumLearner {
 public:
  struct Options {
    TrainingParameterSchedule momentum;
    bool unit_gain = default_unit_gain();
    TrainingParameterSchedule variance_momentum = default_variance_momentum();

    static constexpr auto fields() {
      return list(
          option("momentum", &Options::momentum, "the share of the smoothed gradient that stays").required(),
          option("unit_gain", &Options::unit_gain, "the new gradient is scaled by 1 - momentum")
              .default_call("default_unit_gain()"),
          option("variance_momentum", &Options::variance_momentum,
                 "the share of the smoothed squared gradient that stays")
              .default_call("default_variance_momentum()"));
    }
  };

  FsAdaGrad(LearnerArguments a, Options o)
      : MomentumLearner(std::move(a), o.momentum, o.unit_gain,
                        {.states = 2, .rates = 4, .form = StateForm::stacked, .counts = true}),
        variance_momentum_(std::move(o.variance_momentum)) {
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

CANTIK_LEARNER(fsadagrad) {
  learner.is<FsAdaGrad>()
      .doc("CNTK's FSAdaGrad: momentum over gradients that are divided by their running magnitude.")
      .rate_meaning(RateMeaning::adaptive)
      .example("0.1, 0.9, use_mean_gradient=True");
}

}  // namespace cantik
