// a = gamma a + (1 - gamma) g²; a step size for each element grows by `inc` up to `max` while the sign of g
// stays, and shrinks by `dec` down to `min` when it changes;  w = w - rate g step / sqrt(a + 1e-6), divided
// by the mean of step / sqrt(a + 1e-6) if wanted.
//
// T. Tieleman, G. Hinton, Lecture 6.5 of Neural networks for machine learning, 2012. In the first update a is
// g², the step 0.02.
#include "learners/builtin.h"

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cantik/error.h>

namespace cantik {
namespace {

struct Limits {
  double gamma, inc, dec, max, min;
};

class RmsProp final : public BuiltinLearner {
 public:
  RmsProp(std::vector<Variable> parameters, TrainingParameterSchedule rate, const Limits& limits,
          bool need_ave_multiplier, LearnerOptions options)
      : BuiltinLearner(std::move(parameters), std::move(rate), std::move(options),
                       {.states = 3,
                        .rates = 7,
                        .form = StateForm::stacked,
                        .averages = need_ave_multiplier,
                        .counts = true}),
        limits_(limits) {
    if (!(limits.gamma > 0 && limits.gamma < 1))
      throw runtime_error("RMSProp gamma must be in range (0.0, 1.0)");
    if (!(limits.inc > 1)) throw runtime_error("RMSProp inc must be greater than 1");
    if (!(limits.dec > 0 && limits.dec < 1)) throw runtime_error("RMSProp dec must be in range (0.0, 1.0)");
    if (!(limits.min > 0)) throw runtime_error("RMSProp min must be greater than zero");
    if (!(limits.max > limits.min))
      throw runtime_error("RMSProp max must be greater than zero and greater than min");
  }

 private:
  static constexpr double kFirstStep = 0.02;

  // Brings the states forward: squares, signs, steps. Returns step / sqrt(a + 1e-6).
  static Real advance(Element& e) {
    Real gamma = e.rate[1], inc = e.rate[2], dec = e.rate[3], most = e.rate[4], least = e.rate[5],
         first = e.rate[6];
    Real squared = e.g * e.g, sign_now = sign(e.g);
    Real a = select(first, squared, e.state[0]), step = select(first, kFirstStep, e.state[2]);
    e.state[0] = gamma * a + (1 - gamma) * squared;
    e.state[2] = select(e.state[1] * sign_now > 0, min(step * inc, most), max(step * dec, least));
    e.state[1] = sign_now;
    return e.state[2] / sqrt(e.state[0] + 1e-6);
  }
  Real multiplier(const Element& e) const override {
    Element copy = e;
    return advance(copy);
  }
  std::string name() const override { return "rmsprop"; }
  void trace(Element& e) const override {
    // Steps without a limit grow until their mean is infinite: from then on the parameter rests, as in CNTK.
    Real m = select(e.average < std::numeric_limits<double>::infinity(), advance(e) / e.average, 0.0);
    e.w = e.w - e.rate[0] * (e.g * m);
  }
  void rates(std::span<double> r, int64_t samples) override {
    r[0] = rate_for(samples);
    r[1] = limits_.gamma;
    r[2] = limits_.inc;
    r[3] = limits_.dec;
    r[4] = limits_.max;
    r[5] = limits_.min;
    r[6] = smoothed_count_ == 0;
    ++smoothed_count_;
  }

  Limits limits_;
};

}  // namespace

LearnerPtr rmsprop(std::vector<Variable> parameters, TrainingParameterSchedule rate, double gamma, double inc,
                   double dec, double max, double min, bool need_ave_multiplier, LearnerOptions options) {
  return std::make_shared<RmsProp>(std::move(parameters), std::move(rate), Limits{gamma, inc, dec, max, min},
                                   need_ave_multiplier, std::move(options));
}

}  // namespace cantik
